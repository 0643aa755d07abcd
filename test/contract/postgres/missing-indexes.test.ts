import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { SortClause } from '#runtime/query/record-query';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

const schema = `
  create type mood as enum ('a', 'b');
  create table "Wide orders" (id int primary key, "the status" text, name text, mood mood, price numeric, paid money, at timestamptz,
    customer int);
  create index on "Wide orders" (customer);
  insert into "Wide orders" (id, "the status", at, customer) select n, n % 7, now(), n from generate_series(1, 20000) n;
  analyze "Wide orders";`;

let source: DataSource;
let database: string;
beforeAll(async () => {
  database = await server.createDatabase(schema);
  source = await createDataSourceOn(await openPostgresEngine(server.parameters(database)));
});
afterAll(() => source.close());

const list = (where: ConditionTree | undefined, sort: readonly SortClause[] = []) => ({
  ...{ collection: 'Wide orders', projection: ['id'], where, page: { skip: 0, limit: 15 } },
  sort: [...sort, { field: 'id', ascending: true, order: 'any' as const }],
});

const equal = (field: string, value: unknown) => ({ field, operator: 'Equal', value }) as const;

describe('advice on an index of PostgreSQL', () => {
  it.each<[string, ConditionTree, readonly SortClause[], string]>([
    [
      'an equality and an order',
      equal('the status', 'x'),
      [{ field: 'at', ascending: false }],
      '("the status", "at" desc nulls last)',
    ],
    [
      'an order by bytes',
      equal('customer', 1),
      [{ field: 'name', ascending: true }],
      '("customer", "name" collate "C" asc nulls first)',
    ],
    ['a range', { field: 'at', operator: 'PreviousMonth' }, [], '("at")'],
    [
      'a range beside an equality',
      { aggregator: 'And', conditions: [{ field: 'price', operator: 'LessThan', value: '1' }, equal('mood', 'a')] },
      [],
      '("mood", "price")',
    ],
  ])('is a statement for %s', async (_what, where, sort, columns) => {
    const advice = await source.adviseIndex?.(list(where, sort), context);
    expect(advice?.statement).toMatch(/^create index concurrently "[\w ]+_idx" on "public"\."Wide orders" \(/);
    expect(advice?.statement).toContain(columns);
  });

  it.each<[string, ConditionTree, readonly SortClause[]]>([
    ['there is one', equal('customer', 1), []],
    ['the key finds the record', equal('id', 1), []],
    ['no plain index serves a text inside', { field: 'name', operator: 'Contains', value: 'x' }, []],
    ['the column is compared in another form', equal('paid', '1'), []],
    [
      'one of several conditions is enough',
      { aggregator: 'Or', conditions: [equal('name', 'x'), equal('price', '1')] },
      [],
    ],
  ])('stays away where %s', async (_what, where, sort) => {
    expect(await source.adviseIndex?.(list(where, sort), context)).toBeUndefined();
  });

  it('shows the plan for any value, says what an estimate needs, and creates nothing', async () => {
    const before = await source.fingerprint();
    const advice = await source.adviseIndex?.(list(equal('the status', 'a secret')), context);
    expect(advice?.plan.join('\n')).toMatch(/Filter: .*\$1/);
    expect(JSON.stringify(advice)).not.toContain('secret');
    expect(advice).toMatchObject({ note: expect.stringContaining('hypopg') });
    expect(advice?.estimate).toBeUndefined();
    expect(await source.fingerprint()).toBe(before);
  });

  it('can be followed: the statement runs, and then there is no advice any more', async () => {
    const query = list(equal('the status', 'x'), [{ field: 'name', ascending: false }]);
    const statement = (await source.adviseIndex?.(query, context))?.statement ?? '';
    await server.execute(database, statement);
    expect(await source.adviseIndex?.(query, context)).toBeUndefined();
  });
});
