/** The records of the list that somebody came from, so that the next one is a key away. */
interface LastList {
  readonly collection: string;
  readonly ids: readonly string[];
  /** What the address said of it: search, filters, order. */
  readonly search: Readonly<Record<string, string>>;
}

let last: LastList = { collection: '', ids: [], search: {} };

export function noteList(collection: string, ids: readonly string[], search: LastList['search']): void {
  last = { collection, ids, search };
}

/** What the address said of the list that somebody came from; nothing for another collection. */
export function searchOfLast(collection: string): LastList['search'] {
  return last.collection === collection ? last.search : {};
}

/** The collection that somebody has looked at last in an environment, on this machine; `null` for nothing. */
export function lastCollection(environment: string): string | null {
  return localStorage.getItem(placeOfLast(environment));
}

export function noteCollection(environment: string, collection: string): void {
  localStorage.setItem(placeOfLast(environment), collection);
}

function placeOfLast(environment: string): string {
  return `vendor-cloud last collection of ${environment}`;
}

/** The record a step after this one in that list; `undefined` beyond its ends. */
export function neighbour(collection: string, id: string, step: -1 | 1): string | undefined {
  if (last.collection !== collection) return undefined;
  const at = last.ids.indexOf(id);
  return at < 0 ? undefined : last.ids[at + step];
}

/** Where somebody was in a list. */
export interface ListPlace {
  readonly active: { readonly row: number; readonly column: number };
  readonly scrollTop: number;
}

const mostPlaces = 100;
const places = new Map<string, ListPlace>();
const beginning: ListPlace = { active: { row: 0, column: 0 }, scrollTop: 0 };

/** The entry of the history that the page is at. The router names each; the way back leads to the same one. */
export function visitNow(): string {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && '__TSR_key' in state ? String(state.__TSR_key) : '';
}

/** The place of an entry of the history, as long as the page lives. */
export function placeOf(visit: string): ListPlace {
  return places.get(visit) ?? beginning;
}

export function keepPlace(visit: string, place: ListPlace): void {
  places.delete(visit);
  places.set(visit, place);
  for (const oldest of [...places.keys()].slice(0, Math.max(0, places.size - mostPlaces))) places.delete(oldest);
}
