/** The records of the list that somebody came from, so that the next one is a key away. */
interface LastList {
  readonly collection: string;
  readonly ids: readonly string[];
}

let last: LastList = { collection: '', ids: [] };

export function noteList(collection: string, ids: readonly string[]): void {
  last = { collection, ids };
}

/** The record a step after this one in that list; `undefined` beyond its ends. */
export function neighbour(collection: string, id: string, step: -1 | 1): string | undefined {
  if (last.collection !== collection) return undefined;
  const at = last.ids.indexOf(id);
  return at < 0 ? undefined : last.ids[at + step];
}
