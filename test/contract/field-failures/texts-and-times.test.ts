/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A character that a column's set lacks     | "characters that a column cannot hold: …"
 * A time that is read as a date with a time | "times: compared as times, …", mariadb/conditions "finds in clock …"
 * Digits that get lost on the way            | "exact numbers: …", "a number beyond 64 bits, …"
 */
import { expect, it } from 'vitest';
import { describeOnMysqlFamilyServers, describeOnSqlite } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

describeOnMysqlFamilyServers('Texts and times', (open) => {
  it('characters that a column cannot hold: found nowhere, and refused in writes, with the field', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, name varchar(20) character set latin1, note varchar(20) character set utf8mb3)',
      "insert into t values (1, '?', '?'), (2, 'é', 'ł')",
    ]);
    const service = serve(dataSource);
    for (const field of ['name', 'note']) {
      for (const [operator, value] of [
        ['Equal', '🎈'],
        ['In', ['🎈']],
        ['StartsWith', '🎈'],
        ['IContains', '🎈'],
      ] as const) {
        expect(await valuesOf(service, 't', 'id', { field, operator, value }), `${field} ${operator}`).toEqual([]);
      }
      expect(await service.count({ collection: 't', search: '🎈' }, context)).toBe(0);
      const refused = { code: 'DATABASE_VALUE_REFUSED', details: { field } };
      await expect(service.create('t', { id: 3, [field]: '🎈' }, context)).rejects.toMatchObject(refused);
      await expect(service.update('t', [1], { [field]: 'a🎈' }, context)).rejects.toMatchObject(refused);
    }
    expect(await service.create('t', { id: 3, name: 'é', note: 'ł' }, context)).toEqual({
      id: 3,
      name: 'é',
      note: 'ł',
    });
  });

  it('times: compared as times, with every operator, and in changes of many records', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, ship_time time, exact time(3), key (ship_time), key (exact))',
      "insert into t values (1, '09:05:00', '09:05:00.001'), (2, '10:00:00', '10:00:00'), (3, '23:30:00', '23:30:00.5'), (4, '-01:00:00', '100:00:00'), (5, null, null)",
    ]);
    const service = serve(dataSource);
    for (const [operator, value, ids] of [
      ['Equal', '10:00:00', [2]],
      ['Equal', '10:00', [2]],
      ['NotEqual', '10:00:00', [1, 3, 4, 5]],
      ['GreaterThan', '09:05:00', [2, 3]],
      ['LessThan', '09:05:00', [4]],
      ['In', ['23:30:00', '09:05:00'], [1, 3]],
      ['NotIn', ['23:30:00'], [1, 2, 4, 5]],
    ] as const) {
      const where = { field: 'ship_time', operator, value } as const;
      expect(await valuesOf(service, 't', 'id', where), `${operator} ${value}`).toEqual(ids);
    }
    const late = { field: 'exact', operator: 'Equal', value: '09:05:00.0011' } as const;
    expect(await valuesOf(service, 't', 'id', late)).toEqual([]);
    const after23 = { field: 'ship_time', operator: 'GreaterThan', value: '23:00' } as const;
    expect(await service.delete('t', after23, context)).toBe(1);
    expect(await valuesOf(service, 't', 'id')).toEqual([1, 2, 4, 5]);
  });

  it('exact numbers: a text keeps its digits, also where the same write was given a number before', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, price decimal(30,2), size bigint unsigned)',
      'insert into t values (1, null, null)',
    ]);
    const service = serve(dataSource);
    for (const [price, size, kept] of [
      [1.5, 7, ['1.50', '7']],
      ['12345678901234567890.12', '18446744073709551615', ['12345678901234567890.12', '18446744073709551615']],
      [1e21, 0, ['1000000000000000000000.00', '0']],
      [-0.05, 1, ['-0.05', '1']],
    ] as const) {
      const written = await service.update('t', [1], { price, size }, context);
      expect([written?.['price'], written?.['size']]).toEqual(kept);
      const created = await service.create('t', { id: 2, price, size }, context);
      expect([created['price'], created['size']]).toEqual(kept);
      await service.delete('t', { field: 'id', operator: 'Equal', value: 2 }, context);
    }
  });
});

describeOnSqlite('Numbers that SQLite would round', (open) => {
  it('a number beyond 64 bits, or of more digits than are kept: it is refused by its field, and nothing is written', async () => {
    const { dataSource } = await open([
      'create table t (id integer primary key, whole integer, big bigint, price decimal(30,2), share real)',
      'insert into t values (1, 1, 2, 3.5, null)',
    ]);
    const service = serve(dataSource);
    for (const [field, value] of [
      ['whole', '9223372036854775808'],
      ['whole', 1e19],
      ['big', '-9223372036854775809'],
      ['price', '12345678901234567890.12'],
      ['price', '9007199254740993.01'],
    ] as const) {
      const refused = { code: 'DATABASE_VALUE_REFUSED', details: { field } };
      await expect(service.update('t', [1], { [field]: value }, context), `${value}`).rejects.toMatchObject(refused);
      await expect(service.create('t', { [field]: value }, context), `${value}`).rejects.toMatchObject(refused);
    }
    expect(await service.list({ collection: 't' }, context)).toEqual([
      { id: 1, whole: 1, big: '2', price: '3.50', share: null },
    ]);
    const most = { whole: '9223372036854775807', big: '-9223372036854775808', price: '12345678901.12', share: 0.1 };
    expect(await service.update('t', [1], most, context)).toMatchObject(most);
    const text = { field: 'whole', operator: 'LessThan', value: '9223372036854775808' } as const;
    expect(await valuesOf(service, 't', 'id', text)).toEqual([1]);
  });
});
