import type { TablesOutline } from '#runtime/index';

/** How a table differs from what it was. */
export interface TableChange {
  readonly table: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Columns that are new. */
  readonly added: readonly string[];
  /** Columns that are gone. */
  readonly removed: readonly string[];
  /** Columns with another type or other rules, with their types as the database calls them. */
  readonly changed: readonly { readonly column: string; readonly before: string; readonly after: string }[];
  /** Whether its keys, relations or other rules have changed. */
  readonly hasOtherRules: boolean;
}

/** What became of the tables, in the order of their names; empty where they are the same. */
export function tableChanges(
  { tables: before }: TablesOutline,
  { tables: after }: TablesOutline,
): readonly TableChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((table): readonly TableChange[] => {
    const [was, is] = [before[table], after[table]];
    if (!was || !is) {
      return [{ table, change: is ? 'added' : 'removed', added: [], removed: [], changed: [], hasOtherRules: false }];
    }
    const added = Object.keys(is.columns).filter((column) => !Object.hasOwn(was.columns, column));
    const removed = Object.keys(was.columns).filter((column) => !Object.hasOwn(is.columns, column));
    const changed = Object.entries(is.columns).flatMap(([column, { type, rest }]) => {
      const old = was.columns[column];
      if (!old || (old.type === type && old.rest === rest)) return [];
      return [{ column, before: old.type, after: type }];
    });
    const hasOtherRules = was.rest !== is.rest;
    if (added.length + removed.length + changed.length === 0 && !hasOtherRules) return [];
    return [{ table, change: 'changed', added, removed, changed, hasOtherRules }];
  });
}
