import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'Asia/Tokyo' };

const schema = `
  create extension citext;
  create type mood as enum ('ok', 'it''s "fine"');
  create domain price as numeric(10, 2) check (value >= 0);
  create table things (
    id serial primary key,
    small smallint, whole integer, big bigint, exact numeric(40, 4), cash money, single real, twice double precision,
    flag boolean, words text, padded char(6), loud citext, address inet, stretch interval,
    code uuid, day date, clock time, zoned timetz, stamp timestamp, moment timestamptz, doc json, docb jsonb, raw bytea,
    spot point, feeling mood, cost price, numbers integer[], names text[], moods mood[], grid integer[], docs jsonb[],
    twofold numeric generated always as (exact * 2) stored,
    made timestamptz not null default '2024-01-01T00:00:00Z'
  );
  create table "Wéird ""t\\able"" 🎉" ("select" integer primary key, "a b""c" text, "group" text unique);
  create table empty_ones (id integer generated always as identity primary key, note text default 'new');`;

const record = {
  small: -5,
  whole: 7,
  big: '-9223372036854775808',
  exact: '123456789012345678901234567890123456.7800',
  cash: '-1234.50',
  single: 0.1,
  twice: 1.7976931348623157e308,
  flag: false,
  words: 'line\nbreak \\ "q" é𝄞',
  padded: 'ab',
  loud: 'Foo@Bar.io',
  address: '10.0.0.0/8',
  stretch: '1 day 02:03:00',
  code: '6f1a9c4e-1111-4222-8333-444455556666',
  day: '2024-02-29',
  clock: '10:20:30.500',
  zoned: '10:20:30+02:00',
  stamp: '2024-03-31T01:30:00.123Z',
  moment: '0999-12-31T23:59:59.000Z',
  doc: { z: [1, null], a: 'é' },
  docb: [true, { b: 1 }],
  raw: Uint8Array.of(0, 255, 92),
  spot: '1.5,-2',
  feeling: 'it\'s "fine"',
  cost: '9.90',
  numbers: [1, null, -3],
  names: ['a,b', 'q"x\\', 'NULL', '', null],
  moods: ['it\'s "fine"', 'ok'],
  grid: [
    [1, 2],
    [3, 4],
  ],
  docs: [{ x: 1 }],
};

let source: DataSource;
beforeAll(async () => {
  source = await server.openDataSource(schema);
});

describe('a record in PostgreSQL', () => {
  it.each(['jsonb', 'json'])(
    'keeps the document null and NULL apart in a list of %s that is saved again',
    async (type) => {
      const opened = await server.openDataSource(`create table lists (id int primary key, docs ${type}[]);
      create view shown as select id, docs::text from lists;
      insert into lists values (1, array['1', 'null', null, '[null]']::${type}[]), (2, '[3:4]={1,null}'), (3, '{}'), (4, null);`);
      const stored = async () => {
        const sort = [{ field: 'id', ascending: true }];
        const rows = await opened.list({ collection: 'shown', projection: ['id', 'docs'], sort }, context);
        return rows.map(({ docs }) => docs);
      };
      const save = (id: number, docs: unknown) =>
        opened.update('lists', { field: 'id', operator: 'Equal', value: id }, { docs }, context);
      for (const id of [1, 2, 3, 4]) {
        const [record] = await opened.list(
          { collection: 'lists', projection: ['docs'], where: { field: 'id', operator: 'Equal', value: id } },
          context,
        );
        await save(id, record?.['docs']);
      }
      expect(await stored()).toEqual(['{1,"null",NULL,[null]}', '{1,NULL}', '{}', null]);
      await save(1, [null, null, null]);
      await save(4, [null, 1]);
      expect(await stored()).toEqual(['{NULL,"null",NULL}', '{1,NULL}', '{}', '{NULL,1}']);
      await save(1, null);
      expect((await stored())[0]).toBeNull();
    },
  );

  it('comes back as it was created, what the database filled in included', async () => {
    const [created] = await source.create('things', [record], context);
    expect(created).toEqual({
      ...record,
      id: 1,
      twofold: '246913578024691357802469135780246913.5600',
      made: '2024-01-01T00:00:00.000Z',
    });
  });

  it('keeps an instant whatever the offset it is given with, and cuts microseconds when read', async () => {
    const times = { stamp: '2024-03-31T03:30:00.123999+02:00', moment: '2024-03-31T03:30:00.123999+02:00' };
    const [created] = await source.create('things', [times], context);
    expect(created).toMatchObject({ stamp: '2024-03-31T01:30:00.123Z', moment: '2024-03-31T01:30:00.123Z' });
  });

  it('shows values that are not dates as they are', async () => {
    const odd = await server.openDataSource(
      "create table t (id int primary key, at timestamptz, day date); insert into t values (1, 'infinity', '-infinity'), (2, '0044-03-15 12:00:00+00 BC', '0044-03-15 BC'), (3, '12024-01-01 00:00:00+00', null)",
    );
    const rows = await odd.list(
      { collection: 't', projection: ['at', 'day'], sort: [{ field: 'id', ascending: true }] },
      context,
    );
    expect(rows).toEqual([
      { at: 'infinity', day: '-infinity' },
      { at: '-000043-03-15T12:00:00.000Z', day: '0044-03-15 BC' },
      { at: '+012024-01-01T00:00:00.000Z', day: null },
    ]);
  });

  it('is stored in tables and columns of any name', async () => {
    const name = 'Wéird "t\\able" 🎉';
    const records = [
      { select: 1, 'a b"c': 'x', group: 'g' },
      { select: 2, 'a b"c': null, group: null },
    ];
    expect(await source.create(name, records, context)).toEqual(records);
    const where = { field: 'a b"c', operator: 'Equal', value: 'x' } as const;
    expect(await source.update(name, where, { group: 'changed' }, context)).toBe(1);
    expect(await source.delete(name, { field: 'group', operator: 'Missing' }, context)).toBe(1);
    expect(await source.list({ collection: name, projection: ['select', 'a b"c', 'group'] }, context)).toEqual([
      { select: 1, 'a b"c': 'x', group: 'changed' },
    ]);
  });

  it('can be made of defaults only', async () => {
    expect(await source.create('empty_ones', [{}, {}], context)).toEqual([
      { id: 1, note: 'new' },
      { id: 2, note: 'new' },
    ]);
  });

  it('is sorted nulls first, texts by code point, and the other way round', async () => {
    const sorted = await server.openDataSource(
      "create type size as enum ('b', 'a'); create table t (id int primary key, name text, size size); insert into t values (1, 'b', 'a'), (2, 'B', 'b'), (3, null, null), (4, 'é', 'b'), (5, 'a', 'a')",
    );
    const ids = async (field: string, ascending: boolean) => {
      const sort = [
        { field, ascending },
        { field: 'id', ascending: true },
      ];
      return (await sorted.list({ collection: 't', projection: ['id'], sort }, context)).map(({ id }) => id);
    };
    expect(await ids('name', true)).toEqual([3, 2, 5, 1, 4]);
    expect(await ids('name', false)).toEqual([4, 1, 5, 2, 3]);
    expect(await ids('size', true)).toEqual([3, 1, 5, 2, 4]);
  });
});

it('a column whose values have no order is neither sorted nor grouped by', async () => {
  const source = await server.openDataSource(
    'create table t (id int primary key, spot point, docs json[], spots point[])',
  );
  const fields = [...(source.collections[0]?.fields.values() ?? [])].filter((field) => field.kind === 'column');
  expect(fields.map(({ name, isSortable, isGroupable }) => [name, isSortable, isGroupable])).toEqual([
    ['id', true, true],
    ['spot', false, false],
    ['docs', false, false],
    ['spots', false, false],
  ]);
});
