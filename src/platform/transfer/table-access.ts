import type { SqlValue } from '#kernel/ports/sql-row';

/** A table as both engines have it; names as in the store. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  /** What its rows are sorted by: the primary key. */
  readonly key: readonly string[];
}

/** A value for each column of a table. */
export type Row = readonly SqlValue[];

export interface Only {
  readonly column: string;
  readonly values: readonly string[];
  /** And a number within these bounds in another one. */
  readonly between?: { readonly column: string; readonly from: number; readonly to: number };
}

/** The tables of a store, within one transaction. */
export interface TableAccess {
  /** Each after those it refers to. */
  readonly tables: readonly TableShape[];
  /** The rows by their key, some at a time. @param only Those with one of these values in a column. */
  rows(table: TableShape, only?: Only): AsyncIterable<readonly Row[]>;
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
}

/** The condition, and what is bound in it. @param place Gives the place of the value with this number, from 0. */
export function conditionOf(
  only: Only | undefined,
  place: (index: number) => string,
): { readonly where: string; readonly values: readonly SqlValue[] } {
  if (!only) return { where: '', values: [] };
  const { column, values, between } = only;
  const listed = `${quoted(column)} in (${values.map((_value, index) => place(index)).join(', ')})`;
  if (!between) return { where: ` where ${listed}`, values };
  const [from, to] = [place(values.length), place(values.length + 1)];
  return {
    where: ` where ${listed} and ${quoted(between.column)} between ${from} and ${to}`,
    values: [...values, between.from, between.to],
  };
}

/** How many rows are held at once: few of a table with bytes, because one of them may be a whole bundle. */
export function batchSize(hasBytes: boolean): number {
  return hasBytes ? 4 : 500;
}

export function quoted(name: string): string {
  return `"${name}"`;
}

export function columnList(columns: readonly string[]): string {
  return columns.map(quoted).join(', ');
}

/**
 * Names in an order in which each comes after those it refers to; by name where that leaves a choice. A name may refer to
 * itself. Throws for names that refer to one another.
 */
export function tableOrder(references: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const placed = new Set<string>();
  const waiting = [...references.keys()].sort();
  while (waiting.length > 0) {
    const next = waiting.findIndex((name) =>
      [...(references.get(name) ?? [])].every((to) => to === name || placed.has(to)),
    );
    if (next === -1) throw new TypeError(`The tables ${waiting.join(', ')} refer to one another.`);
    for (const name of waiting.splice(next, 1)) placed.add(name);
  }
  return [...placed];
}
