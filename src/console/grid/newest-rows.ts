import type { VisibleCollection } from '../model/schema.ts';
import { countRecords, listRecords, noId, projection, type Row } from '../wire/records.ts';
import type { FilterTree } from './filter-tree.ts';
import { pageSize, type RowSource, type Rows } from './use-rows.ts';

/** Rows that are asked about one by one. */
const mostAsked = 100;

/** What somebody looks at. */
export interface ShownRows {
  readonly collection: VisibleCollection;
  /** The page in sight. */
  readonly index: number;
  readonly rows: Rows;
  /** Ids to look for besides those that are shown. */
  readonly asked: ReadonlySet<string>;
}

/** The list as the agent has it now. */
interface NewestRows {
  /** The page that was looked at. */
  readonly index: number;
  readonly rows: readonly Row[];
  readonly count: number | undefined;
  /** Shown or chosen rows that do not match any more. */
  readonly gone: ReadonlySet<string>;
}

/** Looks at the list as the agent has it now: the page in sight, how many rows there are, and which of the shown ones are gone. */
export async function newestRows(
  source: RowSource,
  { collection, index, rows, asked }: ShownRows,
  signal: AbortSignal,
): Promise<NewestRows> {
  const { agent, path, parameters, paths } = source;
  const { sort: _sort, ...filters } = parameters;
  const place = { 'page[size]': String(pageSize), 'page[number]': String(index + 1) };
  const [page, count] = await Promise.all([
    listRecords(agent, path, { ...parameters, ...place }, { signal, headers: projection(paths) }),
    collection.isCountable ? countRecords(agent, path, filters, signal) : undefined,
  ]);
  const there = new Set(page.rows.map(({ id }) => id));
  const missing = [...new Set([...rows.loaded.map(({ id }) => id), ...asked])].filter(
    (id) => id !== noId && !there.has(id),
  );
  const ids = missing.slice(0, mostAsked);
  const matching =
    ids.length > 0 && isFindable(collection) ? await whichMatch(source, collection, ids, signal) : new Set(ids);
  return { index, rows: page.rows, count, gone: new Set(ids.filter((id) => !matching.has(id))) };
}

/** Whether records can be asked for by their keys. Bytes, for instance, have no operators. */
function isFindable({ primaryKey, fields }: VisibleCollection): boolean {
  const wanted = primaryKey.length === 1 ? 'in' : 'equal';
  return primaryKey.every((name) =>
    fields.some((field) => field.name === name && field.operators.some(({ operator }) => operator === wanted)),
  );
}

/** Of these records, those that the list has. */
async function whichMatch(
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
