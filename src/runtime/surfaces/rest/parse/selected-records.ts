import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { conditionOfKeys, requireKey } from '../../../model/record-id.ts';
import type { ConditionTree } from '../../../query/condition-tree.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import { intersect } from '../../../records/read/record-filter.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { BulkSelection } from './selection-body.ts';

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
