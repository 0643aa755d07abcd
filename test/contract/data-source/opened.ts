import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { NeutralTable } from './tables.ts';

export type OpenTables = (tables: readonly NeutralTable[]) => Promise<DataSource>;

/** What not every engine has. */
export type EngineFeature =
  | 'days'
  | 'expressions'
  | 'foreign keys'
  | 'generated columns'
  | 'places'
  | 'text order'
  | 'uuids';

/** What an engine cannot do by its nature. */
export interface EngineLimits {
  /** Digits that a decimal keeps; default 38. */
  readonly decimalDigits?: number;
  /** What the engine lacks, and why: the tests of it are skipped, and their names say so. */
  readonly lacks?: Readonly<Partial<Record<EngineFeature, string>>>;
}

/** What tests of a feature are written with: skipped where the engine lacks it, `note` at the end of their names. */
export function featureOf({ lacks = {} }: EngineLimits, feature: EngineFeature) {
  const reason = lacks[feature];
  const isLacking = reason !== undefined;
  return {
    it: it.skipIf(isLacking),
    describe: describe.skipIf(isLacking),
    note: isLacking ? ` (skipped: ${reason})` : '',
  };
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
