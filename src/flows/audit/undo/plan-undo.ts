import type { ShownWrite, UndoTies } from '#contracts/history';
import { canonicalJson } from '#kernel/json/canonical-json';

type Values = Readonly<Record<string, unknown>>;

export interface RecordPlace {
  readonly collection: string;
  readonly recordId: string;
}

/** A write to one record, with the values that are kept of it. */
export interface WriteToUndo extends RecordPlace {
  /** Its row in the log. */
  readonly sequence: number;
  readonly action: 'create' | 'update' | 'delete';
  /** `null` where the write made the record. */
  readonly before: Values | null;
  /** `null` where it deleted the record. */
  readonly after: Values | null;
}

/** A write of somebody else, behind one that is to be taken back. */
interface LaterWrite extends RecordPlace {
  readonly sequence: number;
  readonly action: string;
  readonly fields: readonly string[];
}

/** A write that stays as it is. */
export interface LeftWrite extends RecordPlace {
  readonly sequence: number;
  readonly why: string;
}

/** What an undo does with the writes to some records. */
export interface RecordPlan {
  readonly writes: readonly WriteToUndo[];
  readonly left: readonly LeftWrite[];
  /** What others have written to the same records since, and what still stands of it. */
  readonly later: readonly LaterWrite[];
}

/** A write, as the history of its record has it. */
export type WriteOfHistory = Pick<
  ShownWrite,
  | 'sequence'
  | 'id'
  | 'undoes'
  | 'action'
  | 'label'
  | 'fields'
  | 'before'
  | 'after'
  | 'isUndoable'
  | 'isLossy'
  | 'problem'
>;

/** The writes to a record, and how they may be taken back. */
export interface HistoryToUndo {
  /** All from the oldest on that is to be taken back, the newest first. */
  readonly writes: readonly WriteOfHistory[];
  /** Fields that the database makes of others, and that come back with them. */
  readonly readOnly?: readonly string[] | undefined;
  /** Whether a deleted record may come back without the values that are not kept. */
  readonly acceptsLoss?: boolean | undefined;
}

/**
 * What to do with some writes to one record.
 *
 * @param sequences Their rows in the log.
 */
export function planOfRecord(
  record: RecordPlace,
  sequences: ReadonlySet<number>,
  { writes: history, readOnly = [], acceptsLoss = false }: HistoryToUndo,
): RecordPlan {
  const pairs = takenBack(history);
  const writes: WriteToUndo[] = [];
  const left: LeftWrite[] = [];
  for (const sequence of sequences) {
    const write = history.find((each) => each.sequence === sequence);
    if (write && hasChangedNothing(write)) continue;
    const lost = write?.isLossy && !acceptsLoss ? 'It had fields whose values are not kept.' : undefined;
    const why = whyLeft(write, pairs.get(sequence), sequences) ?? lost;
    if (why !== undefined || !write || !isOne(write.action))
      left.push({ ...record, sequence, why: why ?? 'It is not a write.' });
    else {
      const [before, after] = [write.before, write.after].map((values) => without(values ?? null, readOnly));
      writes.push({ ...record, sequence, action: write.action, before: before ?? null, after: after ?? null });
    }
  }
  const goes = new Set(writes.map(({ sequence }) => sequence));
  const stays = ({ sequence }: WriteOfHistory) => {
    const pair = pairs.get(sequence);
    // What one of the writes has taken back stands again when that one is taken back.
    return !goes.has(sequence) && (pair === undefined || goes.has(pair));
  };
  const later = history.filter(stays).map(({ sequence, action, fields }) => ({ ...record, sequence, action, fields }));
  return { writes, left, later };
}

/** Whether everything that it wrote was there already. */
function hasChangedNothing({ action, before, after, fields }: WriteOfHistory): boolean {
  return action === 'update' && fields.length === 0 && [before, after].every((all) => all && isSame(all, {}));
}

function without(values: Values | null, names: readonly string[]): Values | null {
  return values && Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

function whyLeft(
  write: WriteOfHistory | undefined,
  pair: number | undefined,
  sequences: ReadonlySet<number>,
): string | undefined {
  if (!write) return 'Its history does not have this write.';
  if (pair !== undefined && pair > write.sequence) return `Row ${pair} took it back.`;
  if (pair !== undefined && sequences.has(pair)) return `It took row ${pair} back.`;
  if (!write.isUndoable) return write.problem ?? 'Not all of its values are kept, or yours to write.';
  return undefined;
}

function isOne(action: string): action is WriteToUndo['action'] {
  return action === 'create' || action === 'update' || action === 'delete';
}

/**
 * The writes of a history that an undo has taken back, each with the row of the undo; and the undos, each with what it took back. What
 * both wrote is as if it had never been written.
 *
 * @param history The newest first.
 */
function takenBack(history: readonly WriteOfHistory[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const standing: WriteOfHistory[] = [];
  for (const write of history.toReversed()) {
    // Whatever was written in between stands in the way of an undo.
    const at = write.label === 'undo' ? standing.findLastIndex((earlier) => isAboutTheSame(earlier, write)) : -1;
    const newest = standing[at];
    const [reversed] = newest && isTakenBack(newest, write) ? standing.splice(at, 1) : [];
    if (!reversed) {
      standing.push(write);
      continue;
    }
    pairs.set(reversed.sequence, write.sequence);
    pairs.set(write.sequence, reversed.sequence);
  }
  return pairs;
}

function isAboutTheSame(one: WriteOfHistory, other: WriteOfHistory): boolean {
  return one.action !== 'update' || other.action !== 'update' || one.fields.some((name) => other.fields.includes(name));
}

const reverse: Readonly<Record<string, string>> = { create: 'delete', delete: 'create', update: 'update' };

/** By what the undo names. Undos of older agents name nothing, and their values say it. */
function isTakenBack(write: WriteOfHistory, undo: WriteOfHistory): boolean {
  return undo.undoes === undefined ? isReversed(write, undo) : write.id === undo.undoes;
}

/** Where not all values are kept, nobody knows, and the undo counts as a write like others. */
function isReversed(write: WriteOfHistory, undo: WriteOfHistory): boolean {
  if (undo.action !== reverse[write.action] || undo.before === undefined || undo.after === undefined) return false;
  return isSame(write.before, undo.after) && isSame(write.after, undo.before);
}

/** What keeps a write from being taken back. */
export interface UndoConflict extends RecordPlace {
  readonly sequence: number;
  /** In words, with the field and both values. */
  readonly problem: string;
}

/** The records of some writes as they are now, by `recordKey`; `null` for one that is not there. */
export type RecordsNow = ReadonlyMap<string, Values | null>;

export function recordKey({ collection, recordId }: RecordPlace): string {
  return JSON.stringify([collection, recordId]);
}

/** What foreign keys have to do with taking each write back. */
export type TiesOfWrites = ReadonlyMap<WriteToUndo, UndoTies>;

/** What there is when a write is to be taken back. */
interface Found {
  readonly now: RecordsNow;
  /** What others have written to the same records since. */
  readonly later: readonly LaterWrite[];
  /** Absent for writes whose agent does not tell. */
  readonly ties?: TiesOfWrites;
}

/**
 * What would be in the way of taking writes back one after the other. Each write has to find its record as it left it, or as taking back
 * a later one has made it. Nobody else may have written the same since: a value that somebody changed and another one changed back is not
 * the value of the write. Nor may records of others lead to a record that goes, or values that come back lead to a record that is gone.
 *
 * @param writes The newest first.
 */
export function undoConflicts(writes: readonly WriteToUndo[], { now, later, ties = new Map() }: Found): UndoConflict[] {
  const state = new Map(now);
  const places = new Map(writes.map((write) => [recordKey(write), write]));
  const conflicts: UndoConflict[] = [];
  for (const write of writes) {
    const { collection, recordId, sequence, after } = write;
    const key = recordKey(write);
    const record = state.get(key) ?? null;
    const found = problemsOf(record, after);
    const written = found.length > 0 ? found : later.flatMap((other) => writtenAgain(write, other));
    const problems = written.length > 0 ? written : tied(write, ties.get(write), { state, places });
    conflicts.push(...problems.map((problem) => ({ collection, recordId, sequence, problem })));
    // What comes next is compared as if this one were taken back, so that the answer has all conflicts at once.
    state.set(
      key,
      recordWithout(
        write,
        record,
        later.filter((other) => isLater(other, write)),
      ),
    );
  }
  return conflicts;
}

function isLater(other: LaterWrite, write: WriteToUndo): boolean {
  return recordKey(other) === recordKey(write) && other.sequence > write.sequence;
}

/** A record once a write is taken back. What others have written since stays. */
function recordWithout(
  { action, before }: WriteToUndo,
  record: Values | null,
  later: readonly LaterWrite[],
): Values | null {
  if (later.some((other) => other.action !== 'update')) return record;
  if (!before || (action === 'update' && !record)) return null;
  const written = new Set(later.flatMap(({ fields }) => fields));
  return { ...record, ...Object.fromEntries(Object.entries(before).filter(([field]) => !written.has(field))) };
}

function writtenAgain(write: WriteToUndo, other: LaterWrite): string[] {
  if (!isLater(other, write)) return [];
  const ofRow = `in row ${other.sequence}`;
  if (other.action === 'create') return [`Somebody made it again ${ofRow}.`];
  if (other.action === 'delete') return [`Somebody deleted it ${ofRow}.`];
  if (other.action !== 'update') return [];
  const fields = write.action === 'update' ? Object.keys(write.after ?? {}) : other.fields;
  const both = other.fields.filter((field) => fields.includes(field));
  return both.map((field) => `${field} was written again ${ofRow}.`);
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

/** The records of all writes, as they are at one point of the undo. */
interface UndoState {
  readonly state: RecordsNow;
  readonly places: ReadonlyMap<string, RecordPlace>;
}

const whatBecomes = {
  refuse: 'The database keeps it, because these lead to it',
  cascade: 'The database would delete these along',
  unlink: 'These would lose their link to it',
} as const;
const maxNamed = 10;

function tied(write: WriteToUndo, ties: UndoTies | undefined, undo: UndoState): string[] {
  if (!ties) return [];
  const referring = ties.referring.flatMap((key) => {
    const leading = leadingRecords(write, key, undo);
    if (leading.length === 0 && !key.hasMore) return [];
    const named = leading.slice(0, maxNamed).map((id) => `${key.collection} ${id}`);
    const others = named.length > 0 ? 'others' : `records of ${key.collection} that are not shown to you`;
    const more = key.hasMore || leading.length > maxNamed ? [others] : [];
    return [`${whatBecomes[key.rule]}: ${[...named, ...more].join(', ')}.`];
  });
  const missing = ties.targets.filter((target) => {
    const key = recordKey(target);
    if (key === recordKey(write)) return false;
    const values = undo.state.get(key);
    return values === undefined ? target.isMissing : values === null;
  });
  const lost = missing.map(({ collection, recordId }) => `It led to ${collection} ${recordId}, which is not there.`);
  return [...referring, ...lost];
}

/** The records that lead to the record of a write when it goes: those of now, except for what the undo has changed by then. */
function leadingRecords(
  write: WriteToUndo,
  { collection, fields, recordIds }: UndoTies['referring'][number],
  { state, places }: UndoState,
): readonly string[] {
  const touched = [...places.values()].filter((place) => place.collection === collection);
  const ids = new Set([...recordIds, ...touched.map(({ recordId }) => recordId)]);
  return [...ids].filter((recordId) => {
    const key = recordKey({ collection, recordId });
    if (key === recordKey(write)) return false;
    const values = state.get(key);
    if (values === undefined) return true;
    if (values === null) return false;
    const isKnown = fields.length > 0 && fields.every(({ name, of }) => name in values && of in (write.after ?? {}));
    if (!isKnown) return recordIds.includes(recordId);
    return fields.every(({ name, of }) => values[name] !== null && isSame(values[name], write.after?.[of]));
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
