/*
 * Columns that the database works out when they are read, and cannot for some record.
 */
import { expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite, type OpenDatabase } from './engines.ts';
import { context, serve } from './requests.ts';

/** What fails where `n` is 2; MariaDB gives null and a warning in place of an error. */
const expressions = {
  postgres: '100 / (n - 2)',
  mysql: "json_extract(case n when 2 then 'no json' else '1' end, '$')",
  mariadb: "json_extract(case n when 2 then 'no json' else '1' end, '$')",
  sqlite: "json_extract(case n when 2 then 'no json' else n end, '$')",
} as const;

describeOnPostgres('A column that fails for one record', (open) => suite(open, 'postgres'));
describeOnSqlite('A column that fails for one record', (open) => suite(open, 'sqlite'));
describeOnMysqlFamilyServers('A column that fails for one record', (open, _server, dialect) => {
  if (dialect === 'mysql') suite(open, dialect);
  else it('is null there', () => isNull(open));
});

async function isNull(open: OpenDatabase): Promise<void> {
  const { dataSource } = await open([
    'create table items (id int primary key, n int)',
    'insert into items (id, n) values (1, 1), (2, 2)',
    `alter table items add column share int generated always as (${expressions.mariadb}) virtual`,
  ]);
  const records = await serve(dataSource).list({ collection: 'items' }, context);
  expect(records.map(({ id, share }) => [id, share])).toEqual([
    [1, 1],
    [2, null],
  ]);
}

function suite(open: OpenDatabase, dialect: keyof typeof expressions): void {
  const bad = 2;

  async function served(): Promise<{ dataSource: DataSource; notices: string[]; service: ReturnType<typeof serve> }> {
    const { dataSource } = await open([
      'create table owners (id int primary key, n int)',
      `create table items (id int primary key, name varchar(9), n int, owner_id int references owners (id),
        double_n int generated always as (n + n) virtual)`,
      'insert into owners (id, n) values (1, 1), (7, 2), (8, 3)',
      "insert into items (id, name, n, owner_id) values (1, 'a', 1, 1), (2, 'b', 2, 7), (3, 'c', 3, 8)",
      // SQLite works such a column out when a record is written too.
      ...['owners', 'items'].map(
        (table) => `alter table ${table} add column share int generated always as (${expressions[dialect]}) virtual`,
      ),
    ]);
    const notices: string[] = [];
    dataSource.onNotice?.((notice) => notices.push(notice));
    return { dataSource, notices, service: serve(dataSource) };
  }

  it('is left out of that record, and told with its key', async () => {
    const { service, notices } = await served();
    const sort = [{ field: 'id', ascending: true }];
    const projection = ['id', 'name', 'share', 'double_n'];
    const records = await service.list({ collection: 'items', projection, sort }, context);
    expect(records.map(({ id, name, double_n }) => [id, name, double_n])).toEqual([
      [1, 'a', 2],
      [2, 'b', 4],
      [3, 'c', 6],
    ]);
    expect(records.map(({ id, share }) => (share === undefined || share === null ? id : 'has one'))).toEqual(
      [1, 2, 3].map((id) => (id === bad ? id : 'has one')),
    );
    expect(notices).toEqual([
      expect.stringMatching(
        new RegExp(`^The database cannot work out the column "share" of "items" for the record ${bad} \\(.+\\)\\.`),
      ),
    ]);
    await service.list({ collection: 'items', projection, sort }, context);
    expect(notices).toHaveLength(1);
  });

  it('is left out of the record itself, and of one that refers to it', async () => {
    const { service } = await served();
    const record = await service.get('items', [bad], ['name', 'share'], context);
    expect(record).toMatchObject({ name: 'b' });
    const records = await service.list({ collection: 'items', projection: ['id', 'owner:n', 'owner:share'] }, context);
    expect(records).toHaveLength(3);
    expect(records.find(({ id }) => id === bad)).toMatchObject({ owner: { n: bad } });
  });

  it.each<[string, ConditionTree | undefined, { field: string; ascending: boolean }[]]>([
    ['a filter', { field: 'share', operator: 'GreaterThan', value: 5 }, []],
    ['an order', undefined, [{ field: 'share', ascending: true }]],
  ])('is named where %s needs it, and the caller is not blamed', async (_what, where, sort) => {
    const { service } = await served();
    const failure = service.list({ collection: 'items', projection: ['id'], where, sort }, context);
    await expect(failure).rejects.toMatchObject({
      code: 'DATABASE_COLUMN_FAILED',
      message: expect.stringContaining('"share" of "items"'),
    });
  });

  it('is named where a count needs it', async () => {
    const { service } = await served();
    const where = { field: 'share', operator: 'GreaterThan', value: 5 } as const;
    await expect(service.count({ collection: 'items', where }, context)).rejects.toMatchObject({
      code: 'DATABASE_COLUMN_FAILED',
    });
  });

  it('is left out where it is a column of a view', async () => {
    const { dataSource, execute } = await open([
      'create table items (id int primary key, n int)',
      'insert into items (id, n) values (1, 1), (2, 2), (3, 3)',
      `create view shares as select id, n, ${expressions[dialect]} as share from items`,
    ]);
    const notices: string[] = [];
    dataSource.onNotice?.((notice) => notices.push(notice));
    const records = await serve(dataSource).list({ collection: 'shares' }, context);
    expect(records.filter(({ share }) => share !== undefined).map(({ id }) => id)).toEqual([1, 3]);
    expect(notices).toEqual([expect.stringContaining('"share" of "shares" for the record 2')]);
    await execute('update items set n = 5 where id = 2');
    const fixed = await serve(dataSource).list({ collection: 'shares' }, context);
    expect(fixed.filter(({ share }) => share !== undefined)).toHaveLength(3);
  });

  // MySQL itself works the old value out when it changes a record, and SQLite when a change returns keys: both refuse the change.
  if (dialect !== 'postgres') return;
  it('does not keep its record from being corrected', async () => {
    const { service } = await served();
    expect(await service.update('items', [bad], { n: 1 }, context)).toMatchObject({ n: 1 });
    expect(await service.get('items', [bad], ['share'], context)).toMatchObject({ share: expect.anything() });
  });
}
