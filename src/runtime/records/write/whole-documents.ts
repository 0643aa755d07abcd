import type { CompiledCollection } from '../../model/compiled-model.ts';
import { conditionOfRecords } from '../../model/record-id.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { DocumentChange } from '../../query/document-change.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';

/** Records that share a patch. */
export interface PatchedRecords {
  readonly where: ConditionTree | undefined;
  readonly patch: RecordData;
}

/** A record to create, changes of documents made on nothing. */
export function withWholeDocuments(record: RecordData, current: RecordData = {}): RecordData {
  const entries = Object.entries(record);
  if (!entries.some(([, value]) => value instanceof DocumentChange)) return record;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof DocumentChange ? value.appliedTo(current[name]) : value]),
  );
}

/**
 * The patches for a store that cannot change a part of a document. The records are read, and records that get equal
 * documents are written together.
 */
export async function wholeDocumentPatches(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  patch: RecordData,
  call: CallContext,
): Promise<readonly PatchedRecords[]> {
  const changed = Object.keys(patch).filter((name) => patch[name] instanceof DocumentChange);
  if (changed.length === 0) return [{ where, patch }];
  const projection = [...new Set([...collection.primaryKey, ...changed])];
  const records = await engine.list(collection, { projection, where }, call);
  const groups = Map.groupBy(records, (record) => JSON.stringify(changed.map((name) => record[name] ?? null)));
  return [...groups.values()].map((group) => ({
    where: conditionOfRecords(collection, group),
    patch: withWholeDocuments(patch, group[0]),
  }));
}
