import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { conditionOfKeys, requireKey, unpackId } from '../../../model/record-id.ts';
import type { ConditionTree } from '../../../query/condition-tree.ts';
import { inverseCondition } from '../../../query/inverse-condition.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import { intersect } from '../../../records/read/record-filter.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { RecordQuery } from '../../../records/request/record-service.ts';
import type { AgentState } from '../../request/agent-state.ts';
import {
  lookupInSubset,
  parseRecordSelection,
  type QueryParameters,
  type RecordSelection,
} from '../../request/query-parameters.ts';
import { type JsonObject, memberOf, objectMemberOf } from '../../request/request-bodies.ts';

/** The records a bulk request is about. */
export interface BulkSelection extends RecordSelection, Pick<RecordQuery, 'keys'> {
  readonly relatedTo: RelationEnd | undefined;
  /** How many ids were listed; `undefined` when the request is about all that match. */
  readonly listed: number | undefined;
}

/**
 * Read a selection: the listed ids, or everything that matches but the excluded ones; in both cases within the filters,
 * search and segment of `all_records_subset_query` and of the address.
 *
 * @param ids Whether ids must be there; an action without a selection (Global) needs none.
 */
export function parseSelectionBody(
  model: CompiledModel,
  collection: CompiledCollection,
  body: unknown,
  query: QueryParameters,
  ids: 'required' | 'ignored',
): BulkSelection {
  const data = memberOf(body, 'data');
  const attributes = objectMemberOf(data, 'attributes');
  const subset = objectMemberOf(attributes, 'all_records_subset_query');
  const filters = subset['filters'] ?? attributes['filters'] ?? attributes['filter'];
  const lookup = lookupInSubset(filters === undefined ? subset : { ...subset, filters }, query);
  refuseDeleted(lookup('deleted'));
  const base = {
    ...parseRecordSelection(model, collection, lookup),
    relatedTo: parentOf(model, collection, attributes),
  };
  if (ids === 'ignored') return { ...base, listed: 0 };
  if (attributes['all_records']) {
    return { ...base, where: intersect([base.where, exclusion(collection, attributes)]), listed: undefined };
  }
  const listed = listedIds(collection, idsInSelection(body));
  return { ...base, keys: listed, listed: listed.length };
}

/** Refuse a selection from a list of deleted records. It would otherwise select records that are not deleted. */
function refuseDeleted(deleted: unknown): void {
  if (deleted === undefined || deleted === null || deleted === '' || deleted === 'without') return;
  throw unprocessableRequest('A selection cannot hold deleted records.', 'Restore the records first.');
}

function exclusion(collection: CompiledCollection, attributes: JsonObject): ConditionTree | undefined {
  const excluded = attributes['all_records_ids_excluded'];
  if (!Array.isArray(excluded)) {
    throw invalidRequest(
      '"all_records_ids_excluded" is missing from the selection.',
      'Send the ids to leave out, or an empty list.',
    );
  }
  const ids = excluded.map((id) => unpackId(collection, id));
  if (ids.length === 0) return undefined;
  return inverseCondition(conditionOfKeys(collection.primaryKey, ids));
}

function listedIds(collection: CompiledCollection, ids: unknown): readonly (readonly unknown[])[] {
  if (Array.isArray(ids)) return ids.map((id) => unpackId(collection, id));
  throw invalidRequest('The selection lists no ids.', 'Send data.attributes.ids, or all_records: true.');
}

/** The ids that the body of a request lists; `undefined` when it lists none. */
export function idsInBody({ body }: { readonly body: unknown }): readonly string[] | undefined {
  const ids = idsInSelection(body);
  return Array.isArray(ids) ? ids.filter((id: unknown) => typeof id === 'string') : undefined;
}

/** The unchecked list of ids in a selection; `undefined` for a selection of all that match. */
function idsInSelection(body: unknown): unknown {
  const data = memberOf(body, 'data');
  const attributes = objectMemberOf(data, 'attributes');
  if (attributes['all_records']) return undefined;
  // The older form of a selection: `data` is the list of records itself.
  return attributes['ids'] ?? (Array.isArray(data) ? data.map((item: unknown) => memberOf(item, 'id')) : undefined);
}

/** Only those that a to-many relation leads to from the record they are shown below. */
function parentOf(
  model: CompiledModel,
  collection: CompiledCollection,
  attributes: JsonObject,
): RelationEnd | undefined {
  const { parent_collection_name: name, parent_collection_id: id, parent_association_name: relation } = attributes;
  if (relation === undefined || relation === null) return undefined;
  const parent = typeof name === 'string' ? model.collections.get(name) : undefined;
  const field = parent && typeof relation === 'string' ? parent.fields.get(relation) : undefined;
  const isToMany = field?.kind === 'OneToMany' || field?.kind === 'ManyToMany';
  if (parent && isToMany && field.foreignCollection === collection.name) {
    return { collection: parent.name, id: unpackId(parent, id), relation: field.name };
  }
  throw invalidRequest(
    `"parent_association_name" is not a relation that leads to "${collection.name}".`,
    'Send a relation to many of parent_collection_name, or none.',
  );
}

/** The keys of the selected records, one value for each key column. */
async function selectedKeys(
  state: AgentState,
  collection: CompiledCollection,
  selection: BulkSelection,
  context: CallContext,
): Promise<readonly (readonly unknown[])[]> {
  requireKey(collection);
  const records = await selectedRecords(state, selection, collection.primaryKey, context);
  return records.map((record) => collection.primaryKey.map((column) => record[column]));
}

function selectedRecords(
  state: AgentState,
  selection: BulkSelection,
  projection: readonly string[],
  context: CallContext,
): Promise<readonly RecordData[]> {
  return state.recordService.list({ ...selection, projection }, context);
}

/** One condition that holds for exactly the selected records. */
export async function conditionOfSelection(
  state: AgentState,
  collection: CompiledCollection,
  selection: BulkSelection,
  context: CallContext,
): Promise<ConditionTree | undefined> {
  const { search, segment, liveSegment, relatedTo } = selection;
  const isPlain = [search, segment, liveSegment, relatedTo].every((part) => part === undefined);
  const { where, keys } = selection;
  if (isPlain) return intersect([where, keys && conditionOfKeys(collection.primaryKey, keys)]);
  return conditionOfKeys(collection.primaryKey, await selectedKeys(state, collection, selection, context));
}
