import { invalidRequest } from '#kernel/errors/request-errors';
import type { Act } from '../../../activity/act-reporter.ts';
import { type CompiledCollection, findCollection } from '../../../model/compiled-model.ts';
import { unpackId } from '../../../model/record-id.ts';
import { isOn } from '../../request/query-parameters.ts';
import { isJsonObject, memberOf } from '../../request/request-bodies.ts';
import { relatedEnd } from '../call/related-end.ts';
import type { Route, RouteActivity, RouteCall } from '../call/route.ts';
import { conditionOfSelection, idsInBody, parseSelectionBody } from '../parse/selection-body.ts';
import { answerOfCount, answerOfList, idInPath } from './records.ts';

const path = '/:collection/:id/relationships/:relation';

/** Changing what a record is linked to is an update of it. */
function linking(verb: 'associate' | 'dissociate' | 'link'): RouteActivity {
  return { action: 'update', label: ({ params }) => `${verb} ${params['relation']}`, recordIds: idInPath };
}

/** The same act on the related records: an update of them too, unless it deletes them. */
function linkingOf(verb: 'associate' | 'dissociate', { state, params, query }: RouteCall): Omit<Act, 'recordIds'> {
  const near = findCollection(state.model, params['collection']);
  const relation = near?.fields.get(params['relation'] ?? '');
  const isDeleting = verb === 'dissociate' && isOn(query['delete']);
  return {
    action: isDeleting ? 'delete' : 'update',
    label: `${verb} ${relation?.name} of ${near?.name}`,
    collection: relation && 'foreignCollection' in relation ? relation.foreignCollection : undefined,
  };
}

/** Link a record to the first of those that the body lists. */
export const associateRoute: Route = {
  method: 'POST',
  path,
  activity: {
    ...linking('associate'),
    farEnd: (call) => ({ ...linkingOf('associate', call), recordIds: namedFirst(call) }),
  },
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    await call.state.recordService.associate(end, () => firstId(foreign, call.body), call.context());
    return { status: 204 };
  },
};

/** Take the links to a selection of records away; with `delete` the records too. */
export const dissociateRoute: Route = {
  method: 'DELETE',
  path,
  activity: {
    ...linking('dissociate'),
    farEnd: (call) => ({ ...linkingOf('dissociate', call), recordIds: idsInBody(call) }),
  },
  answer: async (call) => {
    const { query, body, state } = call;
    const { foreign, end } = relatedEnd(call, 'to many');
    const context = call.context();
    const where = () => {
      const selection = parseSelectionBody(state.model, foreign, body, query, 'required');
      if (selection.listed !== 0) return conditionOfSelection(state, foreign, selection, context);
      throw invalidRequest('The selection lists no ids.', 'Send data.attributes.ids, or all_records: true.');
    };
    await state.recordService.dissociate(end, where, isOn(query['delete']), context);
    return { status: 204 };
  },
};

/** Make a to-one relation lead to the record that the body names, or nowhere. */
export const linkToOneRoute: Route = {
  method: 'PUT',
  path,
  activity: linking('link'),
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to one');
    await call.state.recordService.linkToOne(end, () => targetId(foreign, call.body), call.context());
    return { status: 204 };
  },
};

/** The id of the record to link; none where the body does not name it. */
function namedFirst({ body }: RouteCall): readonly string[] {
  const data = memberOf(body, 'data');
  const id = memberOf(Array.isArray(data) ? data[0] : data, 'id');
  return typeof id === 'string' ? [id] : [];
}

function firstId(foreign: CompiledCollection, body: unknown): readonly unknown[] {
  const data = memberOf(body, 'data');
  const [first]: unknown[] = Array.isArray(data) ? data : [data];
  if (isJsonObject(first)) return unpackId(foreign, first['id']);
  throw invalidRequest('The body names no record to link.', `Send {"data": [{"type": "${foreign.name}", "id": "…"}]}.`);
}

/** `null` for nowhere. */
function targetId(foreign: CompiledCollection, body: unknown): readonly unknown[] | null {
  const data = memberOf(body, 'data');
  if (data !== null && !isJsonObject(data)) {
    throw invalidRequest(
      'The body names no record.',
      `Send {"data": {"type": "${foreign.name}", "id": "…"}} or {"data": null}.`,
    );
  }
  const id = data?.['id'];
  return id === undefined || id === null ? null : unpackId(foreign, id);
}

/** A page of the records that a to-many relation leads to. */
export const listRelatedRoute: Route = {
  method: 'GET',
  path: '/:collection/:id/relationships/:relation',
  activity: { action: 'listRelatedData', label: ({ params }) => params['relation'], recordIds: idInPath },
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    return answerOfList(call, foreign, end);
  },
};

export const countRelatedRoute: Route = {
  method: 'GET',
  path: '/:collection/:id/relationships/:relation/count',
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    return answerOfCount(call, foreign, end);
  },
};
