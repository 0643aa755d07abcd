import { describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { Operator } from '#runtime/query/operators';
import { temporaryDataSource } from '../helpers/temporary-database.ts';

const utc = { timezone: 'UTC' };

async function idsWhere(dataSource: DataSource, field: string, operator: Operator, value: unknown): Promise<unknown[]> {
  const sort = [{ field: 'id', ascending: true }];
  const query = { collection: 't', projection: ['id'], where: { field, operator, value }, sort };
  return (await dataSource.list(query, utc)).map(({ id }) => id);
}

describe('A foreign key of SQLite that names no columns', () => {
  it('means those of the primary key, in the order of the key', async () => {
    const dataSource = await temporaryDataSource(`
      create table places (floor int, room int, name text, primary key (room, floor));
      create table desks (id integer primary key, room int, floor int, foreign key (room, floor) references places);
      insert into places values (1, 2, 'attic');
      insert into desks values (1, 2, 1);`);
    const query = { collection: 'desks', projection: ['place:name'] };
    expect(await dataSource.list(query, utc)).toEqual([{ place: { name: 'attic' } }]);
  });
});

describe('A text of SQLite that is declared without case', () => {
  const script = `
    create table t (id integer primary key, name text collate nocase, code text collate rtrim);
    insert into t values (1, 'Bob', 'a'), (2, 'bob', 'a '), (3, 'alice', ' '), (4, 'Zed', '');`;

  it.each([
    ['name', 'Equal', 'bob', [2]],
    ['name', 'NotEqual', 'bob', [1, 3, 4]],
    ['name', 'In', ['bob', 'zed'], [2]],
    ['name', 'NotIn', ['BOB', 'Zed'], [1, 2, 3]],
    ['code', 'Equal', 'a', [1]],
    ['code', 'Blank', null, [4]],
    ['code', 'Present', null, [1, 2, 3]],
  ] as const)('is compared by its characters all the same: %s %s %j', async (field, operator, value, ids) => {
    expect(await idsWhere(await temporaryDataSource(script), field, operator, value)).toEqual(ids);
  });

  it('is sorted, grouped and aggregated by its characters all the same', async () => {
    const dataSource = await temporaryDataSource(script);
    const sort = [{ field: 'name', ascending: true }];
    const sorted = await dataSource.list({ collection: 't', projection: ['name'], sort }, utc);
    expect(sorted.map(({ name }) => name)).toEqual(['Bob', 'Zed', 'alice', 'bob']);
    const groups = await dataSource.aggregate(
      { collection: 't', aggregation: { operation: 'Count', groups: [{ field: 'name' }] } },
      utc,
    );
    expect(groups.map(({ group }) => group['name'])).toEqual(['Bob', 'Zed', 'alice', 'bob']);
    const aggregation = { operation: 'Max', field: 'name', groups: [] } as const;
    expect(await dataSource.aggregate({ collection: 't', aggregation }, utc)).toEqual([{ value: 'bob', group: {} }]);
  });
});

describe('A column of SQLite without a type', () => {
  it('is filtered and sorted as the texts that it shows, its key finds the record', async () => {
    const dataSource = await temporaryDataSource(`
      create table t (id primary key, name);
      insert into t values (1, 'a'), ('2', 10), (3.5, 9);`);
    expect(await idsWhere(dataSource, 'id', 'In', ['1', '2', '3.5'])).toEqual(['1', '2', '3.5']);
    expect(await idsWhere(dataSource, 'name', 'Equal', '10')).toEqual(['2']);
    expect(await idsWhere(dataSource, 'name', 'NotIn', ['a', '9'])).toEqual(['2']);
    const sort = [{ field: 'name', ascending: true }];
    const sorted = await dataSource.list({ collection: 't', projection: ['name'], sort }, utc);
    expect(sorted.map(({ name }) => name)).toEqual(['10', '9', 'a']);
    expect(await dataSource.update('t', { field: 'id', operator: 'Equal', value: '1' }, { name: 'b' }, utc)).toBe(1);
  });
});

describe('A UUID of SQLite', () => {
  it('is found in either case, by an index', async () => {
    const [upper, lower] = ['ABCDEF00-0000-4000-8000-00000000000A', 'abcdef00-0000-4000-8000-00000000000b'];
    const dataSource = await temporaryDataSource(
      `create table t (id uuid primary key); insert into t values ('${upper}'), ('${lower}');`,
    );
    expect(await idsWhere(dataSource, 'id', 'Equal', upper)).toEqual([upper]);
    expect(await idsWhere(dataSource, 'id', 'Equal', upper.toLowerCase())).toEqual([upper]);
    expect(await idsWhere(dataSource, 'id', 'NotEqual', upper.toLowerCase())).toEqual([lower]);
    expect(await idsWhere(dataSource, 'id', 'In', [upper, lower.toUpperCase()])).toEqual([upper, lower]);
    expect(await idsWhere(dataSource, 'id', 'NotIn', [upper.toLowerCase(), null])).toEqual([lower]);
    expect(await idsWhere(dataSource, 'id', 'NotEqual', null)).toEqual([upper, lower]);
    const where = { field: 'id', operator: 'Equal', value: upper } as const;
    const plan = await dataSource.explain?.({ collection: 't', projection: ['id'], where }, utc);
    expect(plan?.steps.join('\n')).toMatch(/SEARCH .*\(id=/);
  });
});

it('Whole numbers of SQLite have a sum beyond 64 bits', async () => {
  const dataSource = await temporaryDataSource(`
    create table t (id integer primary key, n integer);
    insert into t values (1, 9000000000000000000), (2, 9000000000000000000), (3, null);`);
  const aggregation = { operation: 'Sum', field: 'n', groups: [] } as const;
  expect(await dataSource.aggregate({ collection: 't', aggregation }, utc)).toEqual([{ value: 1.8e19, group: {} }]);
});

it('A virtual table of SQLite is left out, and said so', async () => {
  const dataSource = await temporaryDataSource(
    'create virtual table found using fts5(body); create table t (id integer primary key);',
  );
  expect(dataSource.collections.map(({ name }) => name)).toEqual(['t']);
  expect(dataSource.warnings).toEqual(['The virtual table "found" is left out.']);
});

describe('An instant of SQLite in several forms', () => {
  it('is one group, and what is not an instant another', async () => {
    const dataSource = await temporaryDataSource(`
      create table t (id integer primary key, at datetime);
      insert into t values (1, '2024-01-01 10:00:00'), (2, '2024-01-01T10:00:00.000Z'), (3, 'never'), (4, null);`);
    const aggregation = { operation: 'Count', groups: [{ field: 'at' }] } as const;
    expect(await dataSource.aggregate({ collection: 't', aggregation }, utc)).toEqual([
      { value: 2, group: { at: '2024-01-01T10:00:00.000Z' } },
      { value: 1, group: { at: null } },
      { value: 1, group: { at: 'never' } },
    ]);
  });
});

describe('An index of texts of SQLite', () => {
  it('serves what compares and sorts by characters', async () => {
    const dataSource = await temporaryDataSource(
      'create table t (id integer primary key, name text); create index t_name on t (name);',
    );
    const planOf = async (operator: Operator, value: unknown) => {
      const query = { collection: 't', projection: ['id'], where: { field: 'name', operator, value } };
      return (await dataSource.explain?.(query, utc))?.steps.join('\n');
    };
    expect(await planOf('Equal', 'a')).toMatch(/SEARCH .*INDEX t_name \(name=/);
    expect(await planOf('In', ['a', 'b'])).toMatch(/SEARCH .*INDEX t_name \(name=/);
    const sort = [{ field: 'name', ascending: false }];
    const sorted = await dataSource.explain?.({ collection: 't', projection: ['id'], sort }, utc);
    expect(sorted?.steps.join('\n')).toMatch(/SCAN .*INDEX t_name$/);
  });
});
