import { type KeptValues, maxKeptValueBytes, maxRecordsWithValues, type UnkeptFieldReason } from '#contracts/history';
import type { RecordStore, TellKeys } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { conditionOfRecords, hasKey, packId } from '../../model/record-id.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { overwrittenNumber } from '../../query/stored-document.ts';
import { type CallContext, queryContext, type ValueNotes } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';

/** Every column of a collection by its original name: whether its values are kept, or why not. */
export type KeptColumns = ReadonlyMap<string, 'kept' | UnkeptFieldReason>;

/** What a write keeps of the values of its records. */
export interface KeepValues {
  readonly columns: KeptColumns;
  readonly notes: ValueNotes;
}

/** A write whose records were read before it. */
export interface ObservedWrite {
  /** Gets the keys of what was written. */
  readonly tell: TellKeys;
  /** Take down what the records were and are. */
  finish(): Promise<void>;
}

/** The records that a statement is about to write, and how it writes them. */
interface WrittenRecords {
  readonly engine: RecordEngine;
  readonly collection: CompiledCollection;
  readonly where: ConditionTree | undefined;
  readonly call: CallContext;
  /** The store inside of the transaction. */
  readonly store: RecordStore;
  /** The columns that it sets; `undefined` where it deletes. */
  readonly columns: readonly string[] | undefined;
}

/**
 * Read the records that a write is about to change, and keep others from changing them until it is done. `undefined` where there are none, or
 * more than one report has values of.
 */
export async function observeWrite(
  { columns: kept, notes }: KeepValues,
  { engine, collection, where, call, store, columns }: WrittenRecords,
): Promise<ObservedWrite | undefined> {
  const { primaryKey, name } = collection;
  const page = { skip: 0, limit: maxRecordsWithValues + 1 };
  const read = await engine.list(collection, { projection: primaryKey, where, page }, call);
  if (read.length > maxRecordsWithValues) notes.notKept('tooMany');
  if (read.length > maxRecordsWithValues) return undefined;
  // Values are kept by the id of their record.
  const found = read.filter((record) => hasKey(collection, record));
  if (found.length === 0) return undefined;
  const wanted = columns ?? [...kept.keys()];
  const projection = [...new Set([...primaryKey, ...wanted.filter((column) => kept.get(column) === 'kept')])];
  // A restoration shows deleted records only, and the record is not deleted after it.
  const context = { ...queryContext(call, collection), deleted: collection.native.softDelete && ('with' as const) };
  const keys = conditionOfRecords(collection, found);
  const locked = store.listLocked
    ? await store.listLocked(name, projection, keys, context)
    : await store.list({ collection: name, projection, where: keys }, context);
  const before = new Map(locked.map((record) => [packId(collection, record), record]));
  const told: RecordData[] = [];
  return {
    tell: (written) => told.push(...written.filter((record) => hasKey(collection, record))),
    finish: async () => {
      const after = columns && told.length > 0 ? conditionOfRecords(collection, told) : undefined;
      const now = after ? await store.list({ collection: name, projection, where: after }, context) : [];
      const written = new Map(now.map((record) => [packId(collection, record), record]));
      for (const key of told) {
        const id = packId(collection, key);
        // A key that the write has changed: there is one record only.
        const [recordId, was] = pairOf(id, before, told.length) ?? [];
        if (recordId === undefined || !was) {
          notes.notKept('changedMeanwhile');
          return;
        }
        notes.kept({ recordId, ...valuesOf(kept, wanted, was, columns ? (written.get(id) ?? null) : null) });
      }
    },
  };
}

/** Take down a record that was made. */
export function noteCreated({ columns, notes }: KeepValues, collection: CompiledCollection, record: RecordData): void {
  if (collection.overrides.create) {
    notes.notKept('override');
    return;
  }
  if (!hasKey(collection, record)) return;
  const given = [...columns.keys()].filter((name) => (record[name] ?? null) !== null);
  notes.kept({ recordId: packId(collection, record), ...valuesOf(columns, given, null, record) });
}

function pairOf(id: string, before: ReadonlyMap<string, RecordData>, written: number) {
  const same = before.get(id);
  if (same) return [id, same] as const;
  const [only] = before;
  return before.size === 1 && written === 1 ? only : undefined;
}

/** Values of columns before and after. What the write has left as it was is in neither. */
function valuesOf(
  kept: KeptColumns,
  columns: readonly string[],
  before: RecordData | null,
  after: RecordData | null,
): KeptValues {
  const was: Record<string, unknown> = {};
  const is: Record<string, unknown> = {};
  const unkept: Record<string, UnkeptFieldReason> = {};
  for (const name of columns) {
    const rule = kept.get(name) ?? 'hidden';
    if (rule !== 'kept') {
      unkept[name] = rule;
      continue;
    }
    const [old, now] = [before && jsonOf(before[name]), after && jsonOf(after[name])];
    if (typeof old === 'string') unkept[name] = old;
    else if (typeof now === 'string') unkept[name] = now;
    else if (old?.text !== now?.text) {
      if (old) was[name] = old.value;
      if (now) is[name] = now.value;
    }
  }
  return { before: before && was, after: after && is, unkept };
}

interface JsonValue {
  readonly text: string;
  readonly value: unknown;
}

/** A value as JSON has it, or why it cannot be kept. */
function jsonOf(value: unknown): JsonValue | UnkeptFieldReason {
  let isExact = true;
  const text = JSON.stringify(value ?? null, (_key, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner)) isExact = false;
    return inner;
  });
  if (Buffer.byteLength(text) > maxKeptValueBytes) return 'long';
  const parsed: unknown = JSON.parse(text);
  return isExact && overwrittenNumber(value, parsed) === undefined ? { text, value: parsed } : 'inexact';
}
