import { closeCondition } from './condition-template.ts';
import type { ConditionTree } from './condition-tree.ts';
import { type ColumnLookup, compileFilter } from './filter-template.ts';
import { readWireFilter } from './wire-filter.ts';

export type { ColumnLookup } from './filter-template.ts';

/**
 * Read a filter as it comes in a request: JSON text or the value it stands for, operators in wire or code spelling.
 * Values are coerced to the type of their column, then checked.
 *
 * @returns `undefined` for no filter (absent or empty text).
 * @throws `REQUEST_INVALID`, its message beginning with `Invalid filters (`.
 */
export function parseConditionTree(wire: unknown, columnAt: ColumnLookup): ConditionTree | undefined {
  const filter = readWireFilter(wire);
  if (!filter) return undefined;
  const template = compileFilter(filter, columnAt);
  return closeCondition(template, template.accept(filter.values));
}
