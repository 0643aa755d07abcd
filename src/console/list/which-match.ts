import type { FilterTree } from '../grid/filter-tree.ts';
import type { RowSource } from '../grid/use-rows.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { listRecords, projection } from '../wire/records.ts';

/** Of these records, those that the list has. */
export async function whichMatch(
  { agent, path, parameters }: RowSource,
  { primaryKey }: VisibleCollection,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { sort: _sort, filters, ...rest } = parameters;
  const these = JSON.stringify(conditionOn(primaryKey, ids));
  const { rows } = await listRecords(
    agent,
    path,
    { ...rest, filters: filters === undefined ? these : both(filters, these), 'page[size]': String(ids.length) },
    { signal, headers: projection(primaryKey) },
  );
  return new Set(rows.map(({ id }) => id));
}

/** The filters stay the text that they are, so that no digit of theirs is lost. */
function both(one: string, other: string): string {
  return `{"aggregator":"and","conditions":[${one},${other}]}`;
}

/** The parts of a packed id are joined by `|`. */
function conditionOn(primaryKey: readonly string[], ids: readonly string[]): FilterTree {
  const [only, ...others] = primaryKey;
  if (only !== undefined && others.length === 0) return { field: only, operator: 'in', value: ids };
  return {
    aggregator: 'or',
    conditions: ids.map((id) => {
      const parts = id.split('|');
      return {
        aggregator: 'and',
        conditions: primaryKey.map((field, at) => ({ field, operator: 'equal', value: parts[at] })),
      };
    }),
  };
}
