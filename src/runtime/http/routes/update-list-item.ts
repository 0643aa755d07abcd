import { columnOf, isValueField } from '../../plan/compiled-model.ts';
import { idCondition, recordNotFound } from '../../plan/id-condition.ts';
import { isListType } from '../../query/operators.ts';
import { collectionAt } from '../collection-at.ts';
import { unpackId } from '../packed-id.ts';
import { memberOf } from '../parse/json-object.ts';
import { invalidRequest } from '../request-errors.ts';
import { PathUnknown, type Route } from '../route.ts';

/** Replace one item of a column that holds a list, or add one behind the last. */
export const updateListItemRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id/relationships/:column/:index',
  answer: async ({ params, body, state, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const index = /^\d+$/.test(params['index'] ?? '') ? Number(params['index']) : undefined;
    if (index === undefined) throw new PathUnknown();
    const callContext = context();
    await state.authoriser.require(callContext.caller, collection.name, 'edit');
    const name = params['column'] ?? '';
    const field = collection.fields.get(name);
    if (!field || !isValueField(field) || !isListType(columnOf(field).type)) {
      throw invalidRequest(`"${name}" of "${collection.name}" is no list.`, 'Name a column that holds a list.');
    }
    const item = memberOf(memberOf(body, 'data'), 'attributes');
    if (item === undefined) throw invalidRequest('The body has no data.attributes.', 'Send the item there.');
    const id = unpackId(collection, params['id']);
    const [record] = await state.recordService.list(
      { collection: collection.name, projection: [name], where: idCondition(collection, id) },
      callContext,
    );
    if (!record) throw recordNotFound(collection);
    const items = Array.isArray(record[name]) ? [...(record[name] as readonly unknown[])] : [];
    if (index > items.length) {
      throw invalidRequest(
        `"${name}" holds ${items.length} items.`,
        `Replace one of them, or send ${items.length} to add one.`,
      );
    }
    items[index] = item;
    await state.recordService.update(collection.name, id, { [name]: items }, callContext);
    return { status: 204 };
  },
};
