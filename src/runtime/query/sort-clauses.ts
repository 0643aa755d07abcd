import type { SortClause } from './record-query.ts';
import { nestPath, unnestPath } from './relation-path.ts';

/** The opposite order. */
export function inverseSort(sort: readonly SortClause[]): SortClause[] {
  return sort.map(({ field, ascending }) => ({ field, ascending: !ascending }));
}

/** The order seen from the other end of `relation`. */
export function nestSort(sort: readonly SortClause[], relation: string): SortClause[] {
  return sort.map(({ field, ascending }) => ({ field: nestPath(field, relation), ascending }));
}

/** The order seen from the collection behind `relation`; clauses that do not go through it are left out. */
export function unnestSort(sort: readonly SortClause[], relation: string): SortClause[] {
  return sort.flatMap(({ field, ascending }) => {
    const path = unnestPath(field, relation);
    return path === undefined ? [] : [{ field: path, ascending }];
  });
}
