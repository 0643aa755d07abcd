/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A compared write that fails for ever      | "a value as a list shows it …"
 * A compared write that sees too little     | "a value that changed where nobody sees it …"
 * A write that changes digits nobody saw    | "a document that is written back …"
 */
import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { everythingAllowed } from '../../helpers/call-context.ts';
import {
  describeOnEngines,
  describeOnMysqlFamilyServers,
  describeOnPostgres,
  describeOnSqlite,
  type OpenDatabase,
} from './engines.ts';
import { context, serve } from './requests.ts';

const changed = (field: string) => ({ code: 'RECORD_CHANGED', details: { fields: { [field]: expect.any(Object) } } });

/** Columns and the values that they hold, as SQL. */
type Columns = readonly (readonly [name: string, type: string, value: string])[];

function testComparedWrites(open: OpenDatabase, columns: Columns): void {
  it('a value as a list shows it: the dry run and the write take it, for every column', async () => {
    const { dataSource, execute } = await open([
      `create table t (id int primary key, n int, ${columns.map(([name, type]) => `${name} ${type}`).join(', ')})`,
    ]);
    await execute(`insert into t values (1, 0, ${columns.map(([, , value]) => value).join(', ')})`);
    const service = serve(dataSource);
    const [record = {}] = JSON.parse(JSON.stringify(await service.list({ collection: 't' }, context)));
    for (const [index, [name]] of columns.entries()) {
      const seen = { [name]: record[name] };
      await service.checkUpdate('t', [1], { n: index + 1 }, context, seen);
      const update = service.update('t', [1], { n: index + 1 }, context, seen);
      await expect(update, `${name} shown as ${JSON.stringify(record[name])}`).resolves.toMatchObject({ n: index + 1 });
    }
    const all = Object.fromEntries(columns.map(([name]) => [name, record[name]]));
    expect(await service.update('t', [1], { n: -1 }, context, all)).toMatchObject({ n: -1 });
    await execute(`update t set ${columns[0]?.[0]} = null`);
    const after = service.update('t', [1], { n: -2 }, context, all);
    await expect(after).rejects.toMatchObject(changed(columns[0]?.[0] ?? ''));
    const one = { field: 'id', operator: 'In', value: [1] } as const;
    await expect(service.delete('t', one, context, all)).rejects.toMatchObject(changed(columns[0]?.[0] ?? ''));
  });
}

describeOnPostgres('Compared writes', (open) => {
  testComparedWrites(open, [
    ['j1', 'jsonb', `'{"n": 9007199254740993}'`],
    ['j2', 'jsonb', `'1e400'`],
    ['j3', 'jsonb', `'null'`],
    ['j4', 'json', `'{"b":1, "a":12345678901234567890.5}'`],
    ['ts', 'timestamptz', `'2024-03-31 01:30:00.123456+00'`],
    ['ts1', 'timestamp', `'2024-03-31 02:30:00.123456'`],
    ['ts2', 'timestamptz[]', `'{2024-01-01 00:00:00.123456+00}'`],
    ['ts3', 'timestamp', `'infinity'`],
    ['ts4', 'timestamptz', `'12345-06-07 08:09:10+00'`],
    ['d1', 'date', `'12345-06-07'`],
    ['t1', 'time', `'24:00:00'`],
    ['t2', 'time[]', `'{10:00:00.123456}'`],
    ['a1', 'int[]', `'[5:7]={1,2,3}'`],
    ['a2', 'numeric[]', `'{1.10,NaN}'`],
    ['a3', 'int[]', `'{{1,2},{3,4}}'`],
    ['f1', 'float8', `'NaN'`],
    ['f2', 'float8', `'-Infinity'`],
    ['f3', 'real', `0.1`],
    ['f4', 'real[]', `'{0.1,3.4e38}'`],
    ['n1', 'numeric', `'NaN'`],
    ['n2', 'numeric', `123456789012345678901234567890.123456789`],
    ['i1', 'bigint', `9223372036854775807`],
    ['iv', 'interval', `'1 mon'`],
    ['iv2', 'interval', `'infinity'`],
    ['bx', 'box', `'(1,1),(0,0)'`],
    ['pt', 'path', `'[(0,0),(1,1)]'`],
    ['po', 'point', `'(0.1,0.2)'`],
    ['b1', 'bytea', `'\\xdeadbeef'`],
    ['m1', 'money', `'12.34'`],
    ['u1', 'uuid', `'AAAAAAAA-0000-4000-8000-000000000000'`],
    ['c1', 'char(5)', `'ab'`],
    ['x1', 'xml', `'<a/>'`],
    ['r1', 'int4range', `'[1,5)'`],
    ['ip', 'inet', `'10.0.0.1/8'`],
    ['bt', 'bit(4)', `'1010'`],
    ['tv', 'tsvector', `'a b'`],
    ['bo', 'boolean', `true`],
  ]);

  it('a value that changed where nobody sees it: the write that counts on it is refused', async () => {
    const { dataSource, execute } = await open([
      'create table t (id int primary key, n int, j jsonb, ts timestamptz)',
      `insert into t values (1, 0, '9007199254740993', '2024-01-01 00:00:00.123456+00')`,
    ]);
    const collector = createDeclarationCollector();
    // JSON shows both numbers as 9007199254740992.
    const change = () => execute("update t set j = '9007199254740992'");
    collector.agent.customizeCollection('t', (collection) => collection.addHook('Before', 'Update', change));
    const service = createRecordService(compileModel([dataSource], await collector.finish()), everythingAllowed);
    const [record = {}] = JSON.parse(JSON.stringify(await service.list({ collection: 't' }, context)));
    const seen = { j: record.j, ts: record.ts };
    await expect(service.update('t', [1], { n: 1 }, context, seen)).rejects.toMatchObject(changed('j'));
    expect(await service.update('t', [1], { n: 1 }, context, seen)).toMatchObject({ n: 1 });
  });

  it('records that look alike and are stored in two ways: a deletion takes both as they were seen', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, j jsonb)',
      `insert into t values (1, '9007199254740993'), (2, '9007199254740992'), (3, '5')`,
    ]);
    const service = serve(dataSource);
    const [first = {}] = JSON.parse(JSON.stringify(await service.list({ collection: 't' }, context)));
    const three = { field: 'id', operator: 'In', value: [1, 2, 3] } as const;
    await expect(service.delete('t', three, context, { j: first.j })).rejects.toMatchObject(changed('j'));
    const two = { field: 'id', operator: 'In', value: [1, 2] } as const;
    expect(await service.delete('t', two, context, { j: first.j })).toBe(2);
  });

  it('an item of a list with another lower bound: it is replaced', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, a timestamptz[])',
      `insert into t values (1, '[3:4]={2024-01-01 00:00:00.123456+00,2024-01-02 00:00:00+00}')`,
    ]);
    const place = { collection: 't', id: [1], column: 'a', index: 1 };
    await serve(dataSource).updateListItem(place, '2025-01-01T00:00:00.000Z', context);
    const [record] = await serve(dataSource).list({ collection: 't' }, context);
    expect(record?.['a']).toEqual([expect.stringContaining('2024-01-01'), expect.stringContaining('2025-01-01')]);
  });
});

describeOnMysqlFamilyServers('Compared writes', (open) => {
  testComparedWrites(open, [
    ['j1', 'json', `'{"n": 9007199254740993}'`],
    ['tm', 'time(6)', `'100:30:00.123456'`],
    ['tm2', 'time', `'-05:00:00'`],
    ['dt', 'datetime(6)', `'2024-01-01 00:00:00.123456'`],
    ['fl', 'float', `0.1`],
    ['db', 'double', `0.1 + 0.2`],
    ['de', 'decimal(65,30)', `12345678901234567890.123456789012345678901234567890`],
    ['bi', 'bigint unsigned', `18446744073709551615`],
    ['bt', 'bit(9)', `b'101010101'`],
    ['tx', 'varchar(9)', `'ab '`],
    ['bl', 'blob', `x'00ff'`],
    ['en', `enum('a','b')`, `'b'`],
    ['st', `set('a','b')`, `'a,b'`],
    ['gm', 'point', `point(1, 2)`],
    ['yr', 'year', `2024`],
    ['bo', 'tinyint(1)', `2`],
  ]);
});

describeOnSqlite('Compared writes', (open) => {
  testComparedWrites(open, [
    ['j1', 'json', `'{"n": 9007199254740993}'`],
    ['an', '', `9007199254740993`],
    ['dt', 'datetime', `'2024-01-01 00:00:00.123456'`],
    ['dt2', 'datetime', `1704067200`],
    ['da', 'date', `'2024-01-01 10:00:00'`],
    ['re', 'real', `0.1 + 0.2`],
    ['de', 'decimal(10,2)', `1.005`],
    ['bi', 'bigint', `9223372036854775807`],
    ['bo', 'boolean', `'true'`],
    ['bl', 'blob', `x'00ff'`],
    ['tx', 'text collate nocase', `'Ab '`],
    ['ti', 'time', `'10:00'`],
    ['uu', 'uuid', `'AAAAAAAA-0000-4000-8000-000000000000'`],
  ]);
});

describeOnEngines('Documents with numbers that JavaScript rounds', (open) => {
  it('a document that is written back with another member: it is refused, and every digit stays', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, n int, j json)',
      `insert into t values (1, 0, '{"n": 9007199254740993, "s": "9007199254740995"}'), (2, 0, '{"n": 0.5, "s": "9007199254740995"}')`,
    ]);
    const service = serve(dataSource);
    const [record = {}] = JSON.parse(JSON.stringify(await service.list({ collection: 't' }, context)));
    const refused = { code: 'REQUEST_INVALID', details: { field: 'j' } };
    const written = { j: { ...record.j, more: [1] } };
    await expect(service.update('t', [1], written, context)).rejects.toMatchObject(refused);
    await expect(service.checkUpdate('t', [1], written, context)).rejects.toThrowError('9007199254740993');
    expect(await service.update('t', [1], { n: 1 }, context)).toMatchObject({ n: 1 });
    expect(await service.update('t', [1], { j: { s: 'without it' } }, context)).toMatchObject({
      j: { s: 'without it' },
    });
    expect(await service.update('t', [2], { j: { n: 0.5, more: 1 } }, context)).toMatchObject({
      j: { n: 0.5, more: 1 },
    });
  });
});
