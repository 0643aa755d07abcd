import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { compileModel } from '#runtime/compile/compile-model';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { Operator } from '#runtime/query/operators';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { temporaryDatabase } from '../../helpers/temporary-database.ts';

const call = callIn('UTC');
const page = { skip: 0, limit: 20 };
const sort = [{ field: 'id', ascending: true }];

async function opened(script: string) {
  const storage = await temporaryDatabase(script);
  const source = await createSqlDataSource({ dialect: 'sqlite', storage })();
  const connection = await openSqlite(storage);
  onTestFinished(async () => {
    connection.close();
    await source.close();
  });
  const service = createRecordService(compileModel([source], []), everythingAllowed);
  const stored = (sql: string) => connection.all(sql, []).map((row) => Object.values(row).join(' '));
  return { service, stored, warnings: source.warnings };
}

const moment = '2023-11-14T22:13:20.123Z';

describe('Instants of SQLite that are numbers', () => {
  it.each([
    [
      'milliseconds since 1970',
      '(1, 1700000000123), (2, 86400000), (3, 1600000000000), (4, null)',
      '1970-01-02T00:00:00.000Z',
      'integer 1700000000123',
    ],
    [
      'seconds since 1970',
      '(1, 1700000000.123), (2, 86400), (3, 1600000000), (4, null)',
      '1970-01-02T00:00:00.000Z',
      'real 1700000000.123',
    ],
    [
      'Julian days',
      '(1, 2460263.4259273493), (2, 2440588.5), (3, 2459106.0185185), (4, null)',
      '1970-01-02T00:00:00.000Z',
      'real 2460263.4259273',
    ],
  ])('are listed, filtered, grouped and written alike: %s', async (name, rows, second, form) => {
    const { service, stored, warnings } = await opened(
      `create table t (id integer primary key, at datetime); insert into t values ${rows};`,
    );
    expect(warnings).toEqual([
      `Instants are kept as numbers, as a sample says, and are read and written so: t.at (${name}). The setting "instants" says otherwise.`,
    ]);
    const all = await service.list({ collection: 't', sort, page }, call);
    expect(all.map(({ at }) => at)).toEqual([moment, second, expect.stringMatching(/^2020-09-13T12:2/), null]);
    const found = async (operator: Operator, value?: unknown) =>
      (await service.list({ collection: 't', where: { field: 'at', operator, value }, sort, page }, call)).map(
        ({ id }) => id,
      );
    expect(await found('After', '2023-01-01T00:00:00Z')).toEqual([1]);
    expect(await found('Before', '1971-01-01T00:00:00Z')).toEqual([2]);
    expect(await found('Equal', moment)).toEqual([1]);
    expect(await found('In', [moment, second])).toEqual([1, 2]);
    const aggregation = { operation: 'Count' as const, groups: [{ field: 'at', bucket: 'Year' as const }] };
    const groups = await service.aggregate({ collection: 't', aggregation }, call);
    expect(groups.map((row) => row.groups[0]).toSorted()).toEqual(['1970-01-01', '2020-01-01', '2023-01-01', null]);
    expect(await service.update('t', [4], { at: moment }, call)).toMatchObject({ at: moment });
    expect(await found('Equal', moment)).toEqual([1, 4]);
    expect(stored('select typeof(at), at from t where id = 4')[0]).toContain(form);
  });

  it('are written with every digit of the seconds, and found by their milliseconds', async () => {
    const { service, stored } = await opened(
      'create table t (id integer primary key, at datetime); insert into t values (1, 1.5), (2, 2), (3, 1700000000);',
    );
    await service.update('t', [1], { at: '2023-11-14T22:13:20.1234567Z' }, call);
    await service.update('t', [2], { at: '1969-12-31T23:59:58.999999Z' }, call);
    expect(stored('select at from t order by id')).toEqual(['1700000000.1234567', '-1.000001', '1700000000']);
    const where = { field: 'at', operator: 'Equal' as const, value: moment };
    expect(await service.list({ collection: 't', where, sort, page }, call)).toMatchObject([{ id: 1, at: moment }]);
  });

  it('are what a setting says, and not what the sample does', async () => {
    const storage = await temporaryDatabase(
      'create table t (id integer primary key, at datetime); insert into t values (1, 86400000);',
    );
    const atOf = async (form: 'milliseconds' | 'texts') => {
      const source = await createSqlDataSource({ dialect: 'sqlite', storage }, { instants: { t: { at: form } } })();
      onTestFinished(() => source.close());
      const service = createRecordService(compileModel([source], []), everythingAllowed);
      return { at: (await service.get('t', [1], ['at'], call))?.['at'], service };
    };
    expect((await atOf('milliseconds')).at).toBe('1970-01-02T00:00:00.000Z');
    const { at, service } = await atOf('texts');
    expect(at).toBe('1972-09-27T00:00:00.000Z');
    await service.update('t', [1], { at: moment }, call);
    const connection = await openSqlite(storage);
    expect(connection.all('select at from t')).toEqual([{ at: moment }]);
    connection.close();
    const wrong = createSqlDataSource({ dialect: 'sqlite', storage }, { instants: { t: { id: 'seconds' } } });
    await expect(wrong()).rejects.toMatchObject({ code: 'AGENT_OPTION_INVALID' });
    const elsewhere = () => createSqlDataSource('postgres://a@127.0.0.1/b', { instants: { t: { at: 'seconds' } } });
    expect(elsewhere).toThrow('The setting "instants" is for SQLite');
  });

  it('are taken by their size in a column of several forms', async () => {
    const { service, warnings } = await opened(`
      create table t (id integer primary key, at datetime default current_timestamp);
      insert into t values (1, 1700000000123), (2, '2023-11-14 22:13:20'), (3, 1700000000), (4, 2460263.42592593);`);
    const all = await service.list({ collection: 't', sort, page }, call);
    expect(all.map(({ at }) => String(at).slice(0, 19))).toEqual(Array(4).fill('2023-11-14T22:13:20'));
    const where = { field: 'at', operator: 'After' as const, value: '2023-01-01T00:00:00Z' };
    expect(await service.count({ collection: 't', where }, call)).toBe(4);
    expect(warnings).toEqual([]);
  });
});

describe('Columns of SQLite without a type', () => {
  it.each([
    ['kv (k text primary key, v any) strict', 'k'],
    ['kv (k text primary key, v)', 'k'],
  ])('keep the kind of each value: %s', async (table) => {
    const { service, stored } = await opened(
      `create table ${table}; insert into kv values ('blob', x'ff00'), ('limit', 5), ('name', 'x'), ('none', null), ('rate', 2.5);`,
    );
    const before = stored('select typeof(v), quote(v) from kv order by k');
    for (const { k, v } of await service.list({ collection: 'kv', page }, call)) {
      const where = { field: 'v', operator: 'Equal' as const, value: v };
      expect((await service.list({ collection: 'kv', where, page }, call)).map((record) => record['k'])).toEqual([k]);
      await service.update('kv', [k], { v }, call);
    }
    expect(stored('select typeof(v), quote(v) from kv order by k')).toEqual(before);
    await service.update('kv', ['limit'], { v: '6' }, call);
    await service.update('kv', ['rate'], { v: '2.75' }, call);
    await service.update('kv', ['name'], { v: '7' }, call);
    expect(stored("select typeof(v), v from kv where k in ('limit', 'name', 'rate') order by k")).toEqual([
      'integer 6',
      'text 7',
      'real 2.75',
    ]);
  });

  it('are named where SQLite makes numbers of their texts, and answers say what is stored', async () => {
    const { service, warnings } = await opened(
      "create table t (id integer primary key, code string, kind enum, plain text); insert into t values (1, 'a', 'b', '007');",
    );
    expect(warnings).toEqual([
      'SQLite makes numbers of texts in these columns, so that 007 becomes 7: t.code (string), t.kind (enum). Declare them TEXT.',
    ]);
    expect(await service.create('t', { id: 2, code: '007', plain: '007' }, call)).toMatchObject({
      code: '7',
      plain: '007',
    });
    expect(await service.update('t', [1], { code: '1e3' }, call)).toMatchObject({ code: '1000' });
  });
});

describe('Texts of SQLite that are keys and null', () => {
  it('have no address: no id reads, changes or deletes such a record', async () => {
    const { service, stored } = await opened(
      "create table t (k text primary key, v text); insert into t values (null, 'a'), (null, 'b'), ('null', 'c');",
    );
    const all = await service.list({ collection: 't', page }, call);
    expect(all.map(({ k, v }) => [k, v])).toEqual(
      expect.arrayContaining([
        [null, 'a'],
        [null, 'b'],
        ['null', 'c'],
      ]),
    );
    expect(await service.get('t', ['null'], ['v'], call)).toMatchObject({ v: 'c' });
    await service.update('t', ['null'], { v: 'd' }, call);
    await service.delete('t', () => ({ field: 'k', operator: 'Equal', value: 'null' }), call);
    expect(stored('select v from t order by v')).toEqual(['a', 'b']);
  });
});

describe('Infinity in SQLite', () => {
  it.each<[Operator, unknown, number[]]>([
    ['Equal', 'Infinity', [1]],
    ['NotEqual', '-Infinity', [1, 3]],
    ['In', ['Infinity', '-Infinity'], [1, 2]],
    ['GreaterThan', '-Infinity', [1, 3]],
    ['GreaterThanOrEqual', 'Infinity', [1]],
    ['LessThan', 'Infinity', [2, 3]],
    ['Equal', 'NaN', []],
    ['In', ['NaN', 1.5], [3]],
  ])('is found as records show it: %s %o', async (operator, value, expected) => {
    const { service } = await opened(
      'create table t (id integer primary key, x real); insert into t values (1, 9e999), (2, -9e999), (3, 1.5);',
    );
    const found = await service.list({ collection: 't', where: { field: 'x', operator, value }, sort, page }, call);
    expect(found.map(({ id }) => id)).toEqual(expected);
  });
});
