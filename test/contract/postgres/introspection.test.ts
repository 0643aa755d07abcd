import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlCatalogue } from '#runtime/data-sources/sql/sql-engine';
import type { ColumnDescription, TableDescription } from '#runtime/data-sources/tables/table-description';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

async function introspect(script: string, schemas?: readonly string[]): Promise<SqlCatalogue> {
  return (await server.openEngine(script, { schemas })).introspect();
}

function tableOf({ tables }: SqlCatalogue, name: string): TableDescription {
  const table = tables.find((candidate) => candidate.name === name);
  if (!table) throw new Error(`There is no ${name} among ${tables.map((each) => each.name).join(', ')}.`);
  return table;
}

function columnOf(catalogue: SqlCatalogue, table: string, name: string): ColumnDescription | undefined {
  return tableOf(catalogue, table).columns.find((column) => column.name === name);
}

describe('the catalogue of PostgreSQL', () => {
  it('knows the types of columns, domains and arrays', async () => {
    const catalogue = await introspect(`
      create extension citext; create schema other; create type other."Mood ""x""" as enum ('b', 'a');
      create domain amount as numeric(12, 3); create domain tax as amount not null default 0.5;
      create table t (a smallint, b bigint, c numeric, d money, e real, f boolean, g text, h citext, i uuid, j date,
        k time(3), l timetz, m timestamp(3), n timestamptz, o json, p jsonb, q bytea, r point, s inet, t bit(3), u interval,
        v other."Mood ""x""", w tax, x integer[], y varchar(10)[], z other."Mood ""x"""[], aa tax[], ab char(3), ac numeric(10));`);
    const types = Object.fromEntries(
      tableOf(catalogue, 't').columns.map((column) => [
        column.name,
        [column.type, column.nativeType, ...(column.isExact ? ['exact'] : [])],
      ]),
    );
    expect(types).toEqual({
      a: ['Number', 'smallint'],
      b: ['Number', 'bigint', 'exact'],
      c: ['Number', 'numeric', 'exact'],
      d: ['Number', 'money', 'exact'],
      e: ['Number', 'real'],
      f: ['Boolean', 'boolean'],
      g: ['String', 'text'],
      h: ['String', 'public.citext'],
      i: ['Uuid', 'uuid'],
      j: ['Dateonly', 'date'],
      k: ['Time', 'time(3) without time zone'],
      l: ['Time', 'time with time zone'],
      m: ['Date', 'timestamp(3) without time zone'],
      n: ['Date', 'timestamp with time zone'],
      o: ['Json', 'json'],
      p: ['Json', 'jsonb'],
      q: ['Binary', 'bytea'],
      r: ['Point', 'point'],
      s: ['String', 'inet'],
      t: ['String', 'bit(3)'],
      u: ['String', 'interval'],
      v: ['Enum', 'other."Mood ""x"""'],
      w: ['Number', 'numeric(12,3)', 'exact'],
      x: [['Number'], 'integer[]'],
      y: [['String'], 'character varying(10)[]'],
      z: [['Enum'], 'other."Mood ""x"""[]'],
      aa: [['Number'], 'numeric(12,3)[]', 'exact'],
      ab: ['String', 'character(3)'],
      ac: ['Number', 'numeric(10,0)', 'exact'],
    });
    expect(columnOf(catalogue, 't', 'v')?.enumValues).toEqual(['b', 'a']);
    expect(columnOf(catalogue, 't', 'z')?.enumValues).toEqual(['b', 'a']);
    expect(columnOf(catalogue, 't', 'w')).toMatchObject({ isNullable: false, hasDefault: true, defaultValue: '0.5' });
  });

  it('reads the same types and checks where the database quotes every name', async () => {
    const script = `create extension citext; create type mood as enum ('b', 'a');
      create table t (id uuid primary key, a text check (a <> ''), b jsonb, c mood, d citext, e int[], f date default '2024-01-02');`;
    const plain = await server.openEngine(script);
    const quoting = await server.openEngine(
      `${script} do $$ begin execute format('alter database %I set quote_all_identifiers = on', current_database()); end $$;`,
    );
    expect(await quoting.introspect()).toEqual(await plain.introspect());
    expect(await quoting.checks?.()).toEqual(await plain.checks?.());
    expect(columnOf(await quoting.introspect(), 't', 'd')).toMatchObject({
      nativeType: 'public.citext',
      type: 'String',
    });
  });

  it('knows that rows may hold null where a not null is not valid yet', async () => {
    const catalogue = await introspect(`
      create table t (id int primary key, a int, b int, c int not null);
      insert into t values (1, null, null, 1);
      alter table t add constraint a_there not null a not valid;`);
    const nullable = (name: string) => {
      const { isNullable, refusesNull } = columnOf(catalogue, 't', name) ?? {};
      return { isNullable, refusesNull };
    };
    expect(nullable('a')).toEqual({ isNullable: true, refusesNull: true });
    expect(nullable('b')).toEqual({ isNullable: true, refusesNull: undefined });
    expect(nullable('c')).toEqual({ isNullable: false, refusesNull: undefined });
  });

  it('keeps columns of unknown types to be shown, and says so once a type', async () => {
    const catalogue = await introspect(`
      create type pair as (a int, b int);
      create table t (id int primary key, a xml, b tsvector, c int4range, d polygon, e pair, f xml); create table u (g xml[]);`);
    const opaque = tableOf(catalogue, 't').columns.filter((column) => column.isOpaque);
    expect(opaque.map((column) => [column.name, column.type, column.nativeType])).toEqual([
      ['a', 'String', 'xml'],
      ['b', 'String', 'tsvector'],
      ['c', 'String', 'int4range'],
      ['d', 'String', 'polygon'],
      ['e', 'String', 'public.pair'],
      ['f', 'String', 'xml'],
    ]);
    expect(columnOf(catalogue, 'u', 'g')?.isOpaque).toBe(true);
    expect(catalogue.warnings).toHaveLength(6);
    expect(catalogue.warnings).toContain(
      'Columns of the type "xml" are shown, but not written or filtered: t.a and 1 more.',
    );
  });

  it('tells defaults that are values from those that are computed', async () => {
    const catalogue = await introspect(`
      create type mood as enum ('a', 'b');
      create table t (serial serial, always int generated always as identity, bydefault int generated by default as identity,
        text text default 'it''s', number int default -1, exact numeric default 0.10, flag bool default true, mood mood default 'b',
        doc jsonb default '{"a": 1}', day date default '2024-02-29', at timestamptz default now(), code uuid default gen_random_uuid(),
        nothing text default null, twice int generated always as (number * 2) stored, later int generated always as (number * 3),
        list int[] default '{}');`);
    const defaults = Object.fromEntries(
      tableOf(catalogue, 't').columns.map((column) => [
        column.name,
        [column.hasDefault, column.defaultValue, column.isAutoIncrement, column.isGenerated],
      ]),
    );
    expect(defaults).toEqual({
      serial: [true, undefined, true, false],
      always: [true, undefined, true, true],
      bydefault: [true, undefined, false, false],
      text: [true, "it's", false, false],
      number: [true, -1, false, false],
      exact: [true, '0.10', false, false],
      flag: [true, true, false, false],
      mood: [true, 'b', false, false],
      doc: [true, { a: 1 }, false, false],
      day: [true, '2024-02-29', false, false],
      at: [true, undefined, false, false],
      code: [true, undefined, false, false],
      nothing: [false, undefined, false, false],
      twice: [true, undefined, false, true],
      later: [true, undefined, false, true],
      list: [true, undefined, false, false],
    });
  });

  it('knows keys: composite, unique, self-referring and across schemas', async () => {
    const catalogue = await introspect(
      `create schema "Sales";
       create table "Sales".customers (region int, id int, primary key (id, region));
       create table orders (id int primary key, customer int, region int, parent int references orders on delete cascade, code text, tag text, low text,
         constraint c foreign key (customer, region) references "Sales".customers (id, region) on delete set null,
         unique (code, tag));
       create unique index on orders (tag) include (code);
       create unique index on orders (lower(low));
       create unique index on orders (low) where tag is not null;`,
      ['public', 'Sales'],
    );
    expect(catalogue.tables.map((table) => [table.name, table.table])).toEqual([
      ['orders', { schema: 'public', name: 'orders' }],
      ['Sales.customers', { schema: 'Sales', name: 'customers' }],
    ]);
    expect(tableOf(catalogue, 'Sales.customers').primaryKey).toEqual(['region', 'id']);
    const orders = tableOf(catalogue, 'orders');
    expect(orders.foreignKeys).toEqual([
      {
        columns: ['customer', 'region'],
        foreignTable: 'Sales.customers',
        foreignColumns: ['id', 'region'],
        onDelete: 'unlink',
      },
      { columns: ['parent'], foreignTable: 'orders', foreignColumns: ['id'], onDelete: 'cascade' },
    ]);
    expect(orders.uniqueKeys).toEqual([['code', 'tag'], ['tag']]);
  });

  it('leaves out a key to a schema that is not included, and says so', async () => {
    const catalogue = await introspect(
      'create schema s; create table s.a (id int primary key); create table b (a int primary key constraint "to a" references s.a);',
    );
    expect(tableOf(catalogue, 'b').foreignKeys).toEqual([]);
    expect(catalogue.warnings).toEqual([
      'The foreign key "to a" of "public"."b" is not a relation: "s"."a" is not included.',
    ]);
  });

  it('folds partitions into their parent, and takes views, materialised views and foreign tables', async () => {
    const catalogue = await introspect(`
      create table logs (id int, day date, primary key (id, day)) partition by range (day);
      create table logs_2024 partition of logs for values from ('2024-01-01') to ('2025-01-01') partition by list (id);
      create table logs_2024_1 partition of logs_2024 for values in (1);
      create table notes (id int primary key, log int, day date, foreign key (log, day) references logs);
      create view recent as select id, day from logs; create materialized view counted as select count(*) as n from logs;
      create extension file_fdw; create server files foreign data wrapper file_fdw;
      create foreign table lines (line text) server files options (filename '/dev/null');
      create extension pg_stat_statements; comment on table notes is 'What was "noted"'; comment on column notes.log is 'The log';`);
    expect(catalogue.tables.map((table) => [table.name, table.isView, table.primaryKey])).toEqual([
      ['counted', true, []],
      ['lines', true, []],
      ['logs', false, ['id', 'day']],
      ['notes', false, ['id']],
      ['recent', true, []],
    ]);
    expect(tableOf(catalogue, 'notes')).toMatchObject({
      comment: 'What was "noted"',
      foreignKeys: [
        { columns: ['log', 'day'], foreignTable: 'logs', foreignColumns: ['id', 'day'], onDelete: 'refuse' },
      ],
    });
    expect(columnOf(catalogue, 'notes', 'log')?.comment).toBe('The log');
  });

  it('keeps names as they are', async () => {
    const catalogue = await introspect(
      'create table "Sél ect""\\🎉" ("from" int primary key, "A b" int, "$1" int, "?" int)',
    );
    const table = tableOf(catalogue, 'Sél ect"\\🎉');
    expect(table.columns.map((column) => column.name)).toEqual(['from', 'A b', '$1', '?']);
    expect(table.primaryKey).toEqual(['from']);
  });

  it('says in one sentence that many keys lead to a schema that is not included', async () => {
    const catalogue = await introspect(`create schema auth; create table auth.users (id int primary key);
      create table a (id int primary key constraint first references auth.users, "by" int references auth.users);
      create table b (id int primary key references auth.users);`);
    expect(catalogue.warnings).toEqual([
      '3 foreign keys are not relations, such as "a_by_fkey" of "public"."a": they lead to tables of the schema "auth" that are not included.',
    ]);
  });

  it('makes no relation of a key that compares periods', async () => {
    const catalogue = await introspect(`create extension btree_gist;
      create table prices (id int, during daterange, primary key (id, during without overlaps));
      create table sales (id int, during daterange, price int, primary key (id, during without overlaps),
        constraint temporal foreign key (price, period during) references prices (id, period during));`);
    expect(tableOf(catalogue, 'sales').foreignKeys).toEqual([]);
    expect(catalogue.warnings).toContain(
      'The foreign key "temporal" of "public"."sales" is not a relation: it compares periods.',
    );
  });

  it('leaves out what the user may not read, and says so', async () => {
    const database = await server.createDatabase(
      "create role guest login password 'guest'; create table open_one (id int primary key); create table shut (id int); grant select on open_one to guest;",
    );
    const engine = await openPostgresEngine({ ...server.parameters(database), user: 'guest', password: 'guest' });
    const catalogue = await engine.introspect();
    await engine.close();
    expect(catalogue.tables.map((table) => table.name)).toEqual(['open_one']);
    expect(catalogue.warnings).toEqual([
      '1 table is left out, because the database user may not read it: "public"."shut".',
    ]);
  });

  it('warns of a schema without tables, whose name may be misspelt', async () => {
    const database = await server.createDatabase('create table orders (id int primary key)');
    const engine = await openPostgresEngine({ ...server.parameters(database), schemas: ['public', 'biling'] });
    onTestFinished(() => engine.close());
    const { warnings } = await engine.introspect();
    expect(warnings).toEqual([expect.stringContaining('The schema "biling" has no table, or does not exist.')]);
  });

  it('leaves out the columns that the user may not read, and the keys of them, and says so', async () => {
    const database = await server.createDatabase(`
      create role clerk login password 'clerk';
      create table users (id int primary key, name text unique, secret text unique);
      create table visits (id int, secret text references users (secret), primary key (id, secret));
      insert into users values (1, 'Zoë', 'x');
      grant select (id, name), insert, update (name) on users to clerk; grant select (id) on visits to clerk;`);
    const engine = await openPostgresEngine({ ...server.parameters(database), user: 'clerk', password: 'clerk' });
    onTestFinished(() => engine.close());
    const { tables, warnings } = await engine.introspect();
    expect(warnings).toEqual([
      '2 columns are left out, because the database user may not read them: "public"."users"."secret", "public"."visits"."secret".',
    ]);
    expect(tables).toMatchObject([
      { columns: [{ name: 'id' }, { name: 'name' }], primaryKey: ['id'], uniqueKeys: [['name']] },
      { columns: [{ name: 'id' }], primaryKey: [], foreignKeys: [] },
    ]);
    const dataSource = await createDataSourceOn(engine);
    const utc = { timezone: 'UTC' };
    expect(await dataSource.create('users', [{ id: 2, name: 'Bob' }], utc)).toEqual([{ id: 2, name: 'Bob' }]);
    expect(await dataSource.list({ collection: 'users', projection: ['id', 'name'] }, utc)).toHaveLength(2);
  });

  it('takes the same number of round trips however many tables there are', async () => {
    const tripsFor = async (tables: number) => {
      const script = Array.from(
        { length: tables },
        (_, n) => `create table t${n} (id int primary key, a int references t${n})`,
      );
      const database = await server.createDatabase(`create extension pg_stat_statements; ${script.join(';')}`);
      const engine = await openPostgresEngine(server.parameters(database));
      await server.execute(database, 'select pg_stat_statements_reset()');
      const { tables: found } = await engine.introspect();
      expect(found).toHaveLength(tables);
      await engine.close();
      const [row] = await server.execute(
        database,
        "select sum(calls)::int as calls from pg_stat_statements s join pg_database d on d.oid = s.dbid where d.datname = current_database() and query not like '%pg_stat_statements%'",
      );
      return Number(row?.['calls']);
    };
    expect([await tripsFor(1), await tripsFor(200)]).toEqual([8, 8]);
  });
});

describe('the fingerprint of PostgreSQL', () => {
  it.each([
    ['a table', 'create table b (id int)'],
    ['a column', 'alter table a add column c int'],
    ['a type', 'alter table a alter column n type bigint'],
    ['a name', 'alter table a rename column n to m'],
    ['a key', 'alter table a add foreign key (n) references a'],
    ['a unique index', 'create unique index on a (n)'],
    ['an index that becomes valid', "update pg_index set indisvalid = false where indrelid = 'a'::regclass"],
    [
      'a trigger',
      'create trigger t after insert on a for each row execute function suppress_redundant_updates_trigger()',
    ],
    ['a default', 'alter table a alter column n set default 3'],
    ['a value of an enumeration', "alter type mood add value 'new'"],
    ['a comment', "comment on column a.n is 'x'"],
  ])('changes with %s', async (_what, change) => {
    const engine = await server.openEngine(
      "create type mood as enum ('a'); create table a (id int primary key, n int, m_d mood)",
    );
    const before = await engine.fingerprint();
    expect(await engine.fingerprint()).toBe(before);
    const [row] = await engine.read('select current_database() as name', [], { timezone: 'UTC' });
    await server.execute(String(row?.['name']), change);
    expect(await engine.fingerprint()).not.toBe(before);
  });

  it('stays the same when rows change', async () => {
    const engine = await server.openEngine('create table a (id int primary key)');
    const before = await engine.fingerprint();
    await engine.transaction((session) => session.run('insert into a values (1)', []), { timezone: 'UTC' });
    expect(await engine.fingerprint()).toBe(before);
  });
});
