import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { columnOf, isValueField, writableCollection } from '../model/compiled-model.ts';
import { idCondition, recordNotFound } from '../model/record-id.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { isListType } from '../query/operators.ts';
import { inUnitOfCall } from './calls/call-context.ts';
import { keepValues } from './keep-values.ts';
import { type LinkCall, readColumns } from './links/link-ends.ts';
import { updateInScope } from './links/writes-in-scope.ts';
import { intersect, scopeCondition } from './read/record-filter.ts';
import type { ListItem } from './request/record-service.ts';
import { comparesStored, storedConditions, storedRecords } from './write/stored-records.ts';
import { writableAttributes } from './write/write-attributes.ts';

/** Replace an item of a list, or add one. Somebody else's change to the list in between is refused, never lost. */
export async function updateListItem(write: LinkCall, place: ListItem, item: unknown): Promise<void> {
  const { model, authoriser, engine } = write.reader;
  const collection = writableCollection(model, place.collection, 'update');
  await authoriser.require(write.context.caller, collection.name, 'edit');
  const field = collection.fields.get(place.column);
  if (!field || !isValueField(field) || !isListType(columnOf(field).type)) throw noList(place);
  const id = model.names.originalTree(collection.name, idCondition(collection, place.id));
  const where = intersect([id, await scopeCondition(model, collection, authoriser, write.context.caller, 'edit')]);
  const column = model.names.originalPath(collection.name, place.column);
  const original = engine.collectionNamed(collection.name);

  await inUnitOfCall(write.context, async (inside) => {
    const keep = keepValues(write.reader, collection.name, inside);
    const call = { ...write, context: inside, keep };
    const [seen] = comparesStored(original, column)
      ? await storedRecords(engine, original, [column], where, inside)
      : (await readColumns(call, original, where, [column])).map((record) => ({ record, forms: undefined }));
    if (!seen) throw recordNotFound(collection);
    const { record, forms } = seen;
    const items = withItem(record[column], place, item);
    const changes = writableAttributes(
      collection,
      { [place.column]: items },
      { [place.column]: record[column] },
      write.context.caller.timezone,
    );
    const hasValue: ConditionTree = { field: column, operator: 'Equal', value: record[column] ?? null };
    const unchanged = forms && storedConditions([column], forms);
    const unchangedRecord = forms ? where : intersect([where, hasValue]);
    const patch = { [column]: changes[place.column] };
    const updated = await updateInScope({ ...call, unchanged }, collection, unchangedRecord, patch);
    if (updated === 0) throw changedMeanwhile(place);
    write.context.notes?.fields([place.column]);
  });
}

function withItem(current: unknown, { column, index }: ListItem, item: unknown): readonly unknown[] {
  const items: unknown[] = Array.isArray(current) ? [...current] : [];
  if (index > items.length) {
    throw cloudError(
      'REQUEST_INVALID',
      `"${column}" holds ${items.length} items.`,
      `Replace one of them, or send ${items.length} to add one.`,
      { details: { parameter: 'index' } },
    );
  }
  items[index] = item;
  return items;
}

function noList({ collection, column }: ListItem): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    `"${column}" of "${collection}" is not a list.`,
    'Name a column that holds a list.',
    { details: { field: column } },
  );
}

function changedMeanwhile({ column }: ListItem): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `"${column}" was changed by somebody else at the same time.`,
    'Read the record again, then send the item again.',
    { details: { field: column } },
  );
}
