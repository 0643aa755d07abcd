import type { RecordData } from '#runtime/index';
import type { StoredCollection } from './development-data.ts';
import { keysAhead, optionalColumns, parentRelations } from './parent-order.ts';

/** What a file adds to a collection. */
export interface FileOfRecords {
  readonly collection: StoredCollection;
  readonly file: string;
  readonly records: readonly RecordData[];
}

/** A record of a file. */
export interface PlacedRecord {
  readonly from: FileOfRecords;
  readonly index: number;
  readonly record: RecordData;
}

export interface InsertionOrder {
  /** What is created, one after another. */
  readonly created: readonly PlacedRecord[];
  /** What leads round in a circle: created without keys to later records, and written again with all of its values. */
  readonly completed: readonly PlacedRecord[];
}

/** Records behind those that they lead to. The order of `files` stays, whose parents come first, except for keys that lead round in a circle. */
export function insertionOrder(files: readonly FileOfRecords[]): InsertionOrder {
  const placed = files.map((from) => from.records.map((record, index) => ({ from, index, record })));
  if (keysAhead(files.map(({ collection }) => collection)).length === 0) {
    return { created: placed.flat(), completed: [] };
  }
  const parentsOf = parentLookup(files, placed);
  const waiting = placed.flat().map((of): Waiting => ({ of, parents: parentsOf(of), missing: 0, needed: 0 }));
  return inTurn(waiting);
}

/**
 * First come those whose parents are there. If none of them is left, the next is one that can do without for now. After those
 * comes one that cannot: the database may check its key at the end.
 */
function inTurn(waiting: readonly Waiting[]): InsertionOrder {
  const childrenOf = new Map<PlacedRecord, Set<Waiting>>();
  for (const child of waiting) {
    for (const { record } of child.parents) addChild(childrenOf, record, child);
    child.missing = child.parents.length;
    child.needed = child.parents.filter(isNeeded).length;
  }
  const created: PlacedRecord[] = [];
  const completed: PlacedRecord[] = [];
  const done = new Set<PlacedRecord>();
  const queues = [
    waiting.filter(({ missing }) => missing === 0),
    waiting.filter(({ needed }) => needed === 0),
    [...waiting],
  ] as const;
  const [ready, withoutNeeds] = queues;
  const places = queues.map(() => 0);
  for (let next = takeNext(queues, places, done); next; next = takeNext(queues, places, done)) {
    const { of } = next;
    const cut = next.parents.filter(({ record }) => !done.has(record)).flatMap(({ optional }) => optional);
    done.add(of);
    created.push(withoutKeys(of, cut));
    if (cut.length > 0) completed.push(of);
    for (const child of childrenOf.get(of) ?? []) {
      for (const parent of child.parents.filter(({ record }) => record === of)) {
        child.missing -= 1;
        if (isNeeded(parent)) child.needed -= 1;
        if (child.missing === 0) ready.push(child);
        if (isNeeded(parent) && child.needed === 0) withoutNeeds.push(child);
      }
    }
  }
  return { created, completed };
}

function addChild(childrenOf: Map<PlacedRecord, Set<Waiting>>, parent: PlacedRecord, child: Waiting): void {
  const children = childrenOf.get(parent);
  if (children) children.add(child);
  else childrenOf.set(parent, new Set([child]));
}

/** The next record of the first queue that has one; `places` are where the queues go on. */
function takeNext(
  queues: readonly (readonly Waiting[])[],
  places: number[],
  done: ReadonlySet<PlacedRecord>,
): Waiting | undefined {
  for (const [index, queue] of queues.entries()) {
    for (let place = places[index] ?? 0; place < queue.length; place++) {
      places[index] = place + 1;
      const next = queue[place];
      if (next && !done.has(next.of)) return next;
    }
  }
  return undefined;
}

interface Waiting {
  readonly of: PlacedRecord;
  readonly parents: readonly Parent[];
  /** Parents that are not there yet, and those among them that it cannot do without. */
  missing: number;
  needed: number;
}

interface Parent {
  readonly record: PlacedRecord;
  /** Columns that may be null until the parent is there. */
  readonly optional: readonly string[];
}

function isNeeded({ optional }: Parent): boolean {
  return optional.length === 0;
}

/** How the records that a record leads to are found; one that leads to itself has no parent in that. */
function parentLookup(
  files: readonly FileOfRecords[],
  placed: readonly (readonly PlacedRecord[])[],
): (of: PlacedRecord) => readonly Parent[] {
  const byFile = new Map(
    files.map((from) => [
      from,
      parentRelations(from.collection).flatMap((relation) => {
        const parents =
          placed[files.findIndex(({ collection }) => isNamed(collection, relation.foreignCollection))] ?? [];
        const foreign = relation.join.map((pair) => pair.foreign);
        const byKey = new Map(parents.map((parent) => [keyOf(parent.record, foreign), parent]));
        return { local: relation.join.map((pair) => pair.local), byKey, optional: cuttable(from.collection, relation) };
      }),
    ]),
  );
  return (of) =>
    (byFile.get(of.from) ?? []).flatMap(({ local, byKey, optional }) => {
      const key = keyOf(of.record, local);
      const record = key === undefined ? undefined : byKey.get(key);
      return record === undefined || record === of ? [] : [{ record, optional }];
    });
}

function isNamed({ schema }: StoredCollection, name: string): boolean {
  return schema.name === name;
}

/** Columns that can be written later: the record is found by its own key, which stays. */
function cuttable(collection: StoredCollection, relation: Parameters<typeof optionalColumns>[1]): readonly string[] {
  const { primaryKey } = collection.schema;
  return primaryKey.length === 0
    ? []
    : optionalColumns(collection, relation).filter((name) => !primaryKey.includes(name));
}

/** A key as a text to compare; a number and its digits are the same key. */
function keyOf(record: RecordData, columns: readonly string[]): string | undefined {
  const values = columns.map((name) => record[name] ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(String));
}

function withoutKeys(of: PlacedRecord, cut: readonly string[]): PlacedRecord {
  return cut.length === 0
    ? of
    : { ...of, record: { ...of.record, ...Object.fromEntries(cut.map((name) => [name, null])) } };
}
