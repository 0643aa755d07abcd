import { type CompiledCollection, isValueField, writableCollection } from '../model/compiled-model.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, readInput, type Unread } from './calls/call-context.ts';
import { intersect } from './read/record-filter.ts';
import { originalId, type RecordReader, scopeOf } from './request/record-reader.ts';
import { neededFor, type SeenValues, seenValues } from './seen-values.ts';
import { changedAttributes, writableAttributes } from './write/write-attributes.ts';

/** An update that somebody asked for, beside the record as it is. */
export interface ComparedUpdate {
  readonly collection: CompiledCollection;
  /** The record, in the scope of the caller, by original names. */
  readonly where: ConditionTree | undefined;
  /** The key of the record, and the values of the fields that were sent. */
  readonly current: RecordData;
  /** What was sent and may be written. */
  readonly accepted: RecordData;
  /** The part of it that differs from the record. */
  readonly changed: RecordData;
  /** What the caller counts on. */
  readonly seen: SeenValues | undefined;
  /** The conditions for the write, by which the record has it still. */
  readonly unchanged: readonly ConditionTree[] | undefined;
}

/**
 * Ask for the right to edit, then read an update and compare it with the record. `null` if there is none in scope.
 *
 * @throws `RECORD_CHANGED` where the record is not as the caller has seen it.
 */
export async function compareUpdate(
  reader: RecordReader,
  name: string,
  id: Unread<readonly unknown[]>,
  patch: Unread<RecordData>,
  context: CallContext,
  ifMatch: Unread<RecordData> | undefined,
): Promise<ComparedUpdate | null> {
  const collection = writableCollection(reader.model, name, 'update');
  await reader.authoriser.require(context.caller, name, 'edit');
  const key = readInput(id);
  const sent = readInput(patch);
  const seen = await seenValues(reader, collection, ifMatch, context);
  const scope = await scopeOf(reader, collection, neededFor('edit', seen), context);
  const where = intersect([originalId(reader, collection, key), scope]);
  // Only the sent fields are read, to compare them. Nothing else is read or computed.
  const compared = Object.keys(sent).filter((field) => isReadable(collection, field));
  const read = new Set([...collection.primaryKey, ...compared]);
  const current = await reader.fetchOne(collection, where, [...read], context);
  if (!current) return null;
  const unchanged = await seen?.require(where, context);
  const accepted = writableAttributes(collection, sent, current, context.caller.timezone);
  const changed = changedAttributes(collection, accepted, current);
  return { collection, where, current, accepted, changed, seen, unchanged };
}

function isReadable({ fields }: CompiledCollection, name: string): boolean {
  const field = fields.get(name);
  return field !== undefined && isValueField(field);
}
