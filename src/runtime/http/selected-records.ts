import type { AgentState } from '../agent/agent-state.ts';
import type { CallContext } from '../plan/call-context.ts';
import type { CompiledCollection } from '../plan/compiled-model.ts';
import { conditionOfKeys } from '../plan/id-condition.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import { requireKey } from './packed-id.ts';
import type { BulkSelection } from './parse/selection-body.ts';

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
  if (isPlain) return selection.where;
  return conditionOfKeys(collection.primaryKey, await selectedKeys(state, collection, selection, context));
}
