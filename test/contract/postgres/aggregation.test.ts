import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { AggregateOperation, DateBucket } from '#runtime/query/aggregation';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

const schema = `
  create type kind as enum ('z', 'a');
  create table sales (
    id integer primary key, place text, kind kind, amount numeric(30, 2), loose numeric, big bigint, cash money, whole integer,
    ratio double precision, flag boolean, code uuid, day date, at timestamptz, naive timestamp
  );
  insert into sales values
    (1, 'b', 'z', 0.10, 1.5, 9007199254740993, 1.10, 1, 0.5, true, '00000000-0000-0000-0000-00000000000b', '2024-03-31', '2024-03-30 23:30:00+00', '2024-03-30 23:30:00'),
    (2, 'B', 'a', 0.20, 2.25, 9007199254740993, 2.20, 2, 1.5, false, 'a0000000-0000-0000-0000-000000000000', '2024-04-01', '2024-03-31 22:30:00+00', '2024-03-31 22:30:00'),
    (3, null, null, 12345678901234567890.55, null, null, null, 4, null, null, null, null, '2024-11-03 05:30:00+00', null),
    (4, 'b', 'a', null, null, null, null, null, null, true, null, '2023-12-31', '2024-11-03 06:30:00+00', null);`;

let source: DataSource;
beforeAll(async () => {
  source = await server.openDataSource(schema);
});

async function value(operation: AggregateOperation, field?: string): Promise<unknown> {
  const aggregation = { operation, field, groups: [] };
  const [row] = await source.aggregate({ collection: 'sales', aggregation }, { timezone: 'UTC' });
  return row?.value;
}

describe('an aggregate of PostgreSQL', () => {
  it.each<[AggregateOperation, string | undefined, unknown]>([
    ['Count', undefined, 4],
    ['Count', 'amount', 3],
    ['Sum', 'amount', '12345678901234567890.85'],
    ['Avg', 'amount', '4115226300411522630.28333333'],
    ['Min', 'amount', '0.10'],
    ['Max', 'amount', '12345678901234567890.55'],
    ['Sum', 'loose', '3.75'],
    ['Avg', 'loose', '1.875'],
    ['Sum', 'big', '18014398509481986'],
    ['Avg', 'big', '9007199254740993'],
    ['Sum', 'cash', '3.30'],
    ['Max', 'cash', '2.20'],
    ['Sum', 'whole', 7],
    ['Avg', 'whole', 7 / 3],
    ['Avg', 'ratio', 1],
    ['Min', 'place', 'B'],
    ['Max', 'place', 'b'],
    ['Max', 'kind', 'z'],
    ['Min', 'flag', false],
    ['Max', 'code', 'a0000000-0000-0000-0000-000000000000'],
    ['Min', 'day', '2023-12-31'],
    ['Max', 'at', '2024-11-03T06:30:00.000Z'],
  ])('%s of %s loses no digit', async (operation, field, expected) => {
    expect(await value(operation, field)).toBe(expected);
  });

  it('is null of no value at all', async () => {
    const where = { field: 'id', operator: 'Equal', value: 99 } as const;
    const aggregation = { operation: 'Avg', field: 'amount', groups: [] } as const;
    expect(await source.aggregate({ collection: 'sales', where, aggregation }, { timezone: 'UTC' })).toEqual([
      { value: null, group: {} },
    ]);
  });

  it('comes highest first, then by group, null groups kept, cut to the limit', async () => {
    const aggregation = { operation: 'Count', groups: [{ field: 'place' }] } as const;
    expect(await source.aggregate({ collection: 'sales', aggregation, limit: 2 }, { timezone: 'UTC' })).toEqual([
      { value: 2, group: { place: 'b' } },
      { value: 1, group: { place: null } },
    ]);
  });

  it('orders exact sums as numbers', async () => {
    const aggregation = { operation: 'Sum', field: 'amount', groups: [{ field: 'id' }] } as const;
    const rows = await source.aggregate({ collection: 'sales', aggregation }, { timezone: 'UTC' });
    expect(rows.map((row) => row.group['id'])).toEqual([3, 2, 1, 4]);
  });
});

async function buckets(field: string, bucket: DateBucket, timezone: string): Promise<Record<string, number>> {
  const aggregation = { operation: 'Count', groups: [{ field, bucket }] } as const;
  const rows = await source.aggregate({ collection: 'sales', aggregation }, { timezone });
  return Object.fromEntries(rows.map((row) => [String(row.group[field]), Number(row.value)]));
}

describe('a bucket of PostgreSQL', () => {
  it.each<[string, DateBucket, string, Record<string, number>]>([
    ['at', 'Day', 'UTC', { '2024-03-30': 1, '2024-03-31': 1, '2024-11-03': 2 }],
    ['at', 'Day', 'Asia/Tokyo', { '2024-03-31': 1, '2024-04-01': 1, '2024-11-03': 2 }],
    ['at', 'Day', 'Europe/Paris', { '2024-03-31': 1, '2024-04-01': 1, '2024-11-03': 2 }],
    ['at', 'Day', 'America/New_York', { '2024-03-30': 1, '2024-03-31': 1, '2024-11-03': 2 }],
    ['at', 'Day', 'UTC+9', { '2024-03-31': 1, '2024-04-01': 1, '2024-11-03': 2 }],
    ['at', 'Day', '+09:00', { '2024-03-31': 1, '2024-04-01': 1, '2024-11-03': 2 }],
    ['at', 'Day', 'UTC-6', { '2024-03-30': 1, '2024-03-31': 1, '2024-11-02': 1, '2024-11-03': 1 }],
    ['naive', 'Month', 'Europe/Paris', { '2024-03-01': 1, '2024-04-01': 1, null: 2 }],
    ['at', 'Week', 'Europe/Paris', { '2024-03-25': 1, '2024-04-01': 1, '2024-10-28': 2 }],
    ['at', 'Quarter', 'Europe/Paris', { '2024-01-01': 1, '2024-04-01': 1, '2024-10-01': 2 }],
    ['day', 'Year', 'Asia/Tokyo', { '2024-01-01': 2, '2023-01-01': 1, null: 1 }],
    ['day', 'Week', 'America/New_York', { '2024-03-25': 1, '2024-04-01': 1, '2023-12-25': 1, null: 1 }],
  ])('begins where the clock of the zone says: %s by %s in %s', async (field, bucket, timezone, expected) => {
    expect(await buckets(field, bucket, timezone)).toEqual(expected);
  });
});
