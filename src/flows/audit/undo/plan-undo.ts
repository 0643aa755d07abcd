import { canonicalJson } from '#kernel/json/canonical-json';

type Values = Readonly<Record<string, unknown>>;

/** A write to one record, with the values that are kept of it. */
export interface WriteToUndo {
  readonly collection: string;
  readonly recordId: string;
  /** Its row in the log. */
  readonly sequence: number;
  readonly action: 'create' | 'update' | 'delete';
  /** `null` where the write made the record. */
  readonly before: Values | null;
  /** `null` where it deleted the record. */
  readonly after: Values | null;
}

/** What keeps a write from being taken back. */
export interface UndoConflict extends Pick<WriteToUndo, 'collection' | 'recordId' | 'sequence'> {
  /** In words, with the field and both values. */
  readonly problem: string;
}

/** The records of some writes as they are now, by `recordKey`; `null` for one that is not there. */
export type RecordsNow = ReadonlyMap<string, Values | null>;

export function recordKey({ collection, recordId }: Pick<WriteToUndo, 'collection' | 'recordId'>): string {
  return JSON.stringify([collection, recordId]);
}

/**
 * What would be in the way of taking writes back one after the other. Each write has to find its record as it left it, or as taking back
 * a later one has made it.
 *
 * @param writes The newest first.
 */
export function undoConflicts(writes: readonly WriteToUndo[], now: RecordsNow): UndoConflict[] {
  const state = new Map(now);
  const conflicts: UndoConflict[] = [];
  for (const write of writes) {
    const { collection, recordId, sequence, before, after } = write;
    const key = recordKey(write);
    const record = state.get(key) ?? null;
    const problems = problemsOf(record, after);
    conflicts.push(...problems.map((problem) => ({ collection, recordId, sequence, problem })));
    // What comes next is compared as if this one were taken back, so that the answer has all conflicts at once.
    state.set(key, before && { ...record, ...before });
  }
  return conflicts;
}

function problemsOf(record: Values | null, after: Values | null): string[] {
  if (!after) return record ? ['It was deleted, and there is a record with this key again.'] : [];
  if (!record) return ['It is not there any more.'];
  return Object.entries(after).flatMap(([field, left]) => {
    // A field that is not shown now is compared by the agent.
    if (!Object.hasOwn(record, field) || isSame(record[field], left)) return [];
    return [`${field} was ${JSON.stringify(left)} after the write and is ${JSON.stringify(record[field])} now.`];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
