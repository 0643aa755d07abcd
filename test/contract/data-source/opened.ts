import { afterAll, beforeAll, expect } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { NeutralTable } from './tables.ts';

export type OpenTables = (tables: readonly NeutralTable[]) => Promise<DataSource>;

/** What an engine cannot do by its nature. */
export interface EngineLimits {
  /** Digits that a decimal keeps; default 38. */
  readonly decimalDigits?: number;
  /** Whether the database can work out a column; default true. */
  readonly hasGeneratedColumns?: boolean;
}

export const utc = { timezone: 'UTC' };

/** One data source for all tests of a describe block that only read. */
export function openedForAll(open: OpenTables, tables: readonly NeutralTable[]): () => DataSource {
  let opened: DataSource | undefined;
  beforeAll(async () => {
    opened = await open(tables);
  });
  afterAll(() => opened?.close());
  return () => {
    if (!opened) throw new Error('The data source is not open.');
    return opened;
  };
}

/** A data source for one test. */
export async function withTables(
  open: OpenTables,
  tables: readonly NeutralTable[],
  work: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const dataSource = await open(tables);
  try {
    await work(dataSource);
  } finally {
    await dataSource.close();
  }
}

/** The values of `id` of the records that fulfil `where`, in order; `count` must agree. */
export async function idsWhere(
  dataSource: DataSource,
  collection: string,
  where: ConditionTree | undefined,
  context = utc,
): Promise<unknown[]> {
  const sort = [{ field: 'id', ascending: true }];
  const records = await dataSource.list({ collection, projection: ['id'], where, sort }, context);
  expect(await dataSource.count(collection, where, context)).toBe(records.length);
  return records.map((record) => record['id']);
}
