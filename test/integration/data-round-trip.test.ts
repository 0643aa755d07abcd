import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exportData } from '#flows/data/export-data';
import { importData } from '#flows/data/import-data';
import { resetData } from '#flows/data/reset-data';
import { seedData } from '#flows/data/seed-data';
import { silentReporter } from '#kernel/ports/reporter';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { describeOnMysqlFamily } from '../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryDatabase } from '../helpers/temporary-database.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const postgres = usePostgresServer();

async function projectOf(uri: string, settings: object = {}): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(path.join(root, 'src'));
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'kept', dataSources: { main: { uri, ...settings } } }),
    'src/index.ts': 'export default () => undefined;',
  });
  return root;
}

/** A project on a new database made by `script`, and all of what a table of it holds, as the database writes it. */
async function postgresProject(script: string, search = '') {
  const { user, password = '', port } = postgres.parameters();
  const database = await postgres.createDatabase(script);
  const root = await projectOf(
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}${search}`,
  );
  const stored = (table: string) => postgres.execute(database, `select t::text as row from ${table} t order by 1`);
  return { root, database, stored };
}

async function thereAndBack(
  root: string,
  format: 'csv' | 'ndjson',
  warn: (message: string) => void = () => undefined,
): Promise<readonly string[]> {
  const context = { ...flowContext(root), reporter: { ...silentReporter, warn } };
  const { files } = await exportData(context, { folder: root, collections: [], format, target: format });
  await resetData(context, { folder: root, confirm: async ({ name }) => name });
  await importData(context, { folder: root, files: files.map((file) => file.path) });
  return Promise.all(files.map((file) => readFile(file.path, 'utf8')));
}

describe('an export of PostgreSQL', () => {
  it.each(['ndjson', 'csv'] as const)('comes back from %s with documents, points, bytes and lists', async (format) => {
    const { root, stored } = await postgresProject(`
      create table things (
        id integer primary key, doc jsonb, place point, far double precision, tags text[], parts bytea[], fars real[]
      );
      insert into things values
        (1, '"text"', '(1.5,-2)', 'Infinity', '{a,NULL,"","NULL"}', array['\\x00ff'::bytea], '{NaN,1}'),
        (2, '"12"', null, '-Infinity', '{}', '{}', '{}'), (3, '"null"', '(0,0)', 'NaN', null, null, null),
        (4, '[1, "2"]', null, 0.1, null, null, null), (5, '""', null, null, null, null, null),
        (6, 'true', null, null, null, null, null);
    `);
    const before = await stored('things');
    await thereAndBack(root, format);
    expect(await stored('things')).toEqual(before);
  });

  it.each(['ndjson', 'csv'] as const)('comes back from %s with every digit of its instants', async (format) => {
    const { root, stored } = await postgresProject(`
      create table visits (id integer primary key, at timestamptz, wall timestamp, past timestamptz, all_of timestamptz[]);
      insert into visits values (1, '2024-03-10 10:00:00.123456+00', '2024-03-10 10:00:00.000001', '0044-03-15 12:00:00.5+00 BC',
        '{2024-03-10 10:00:00.123456+00,NULL}'), (2, 'infinity', '2024-03-10 10:00:00', null, null);
    `);
    const before = await stored('visits');
    await thereAndBack(root, format);
    expect(await stored('visits')).toEqual(before);
  });

  it.each(['ndjson', 'csv'] as const)(
    'comes back from %s with the document null, or says what is lost',
    async (format) => {
      const { root, stored } = await postgresProject(`
      create table papers (id integer primary key, doc jsonb, kept json not null);
      insert into papers values (1, 'null', 'null'), (2, null, '[null]'), (3, '"null"', '0');
    `);
      const before = await stored('papers');
      const warnings: string[] = [];
      await thereAndBack(root, format, (message) => warnings.push(message));
      const lost = { row: '(1,,null)' };
      expect(await stored('papers')).toEqual(format === 'csv' ? before : [lost, ...before.slice(1)]);
      const warning = 'The document null comes back from NDJSON as no value: papers.doc. CSV keeps it.';
      expect(warnings.filter((message) => message.includes('null'))).toEqual(format === 'csv' ? [] : [warning]);
    },
  );

  it.each(['ndjson', 'csv'] as const)('says which lists lose the document null in %s', async (format) => {
    const { root, stored } = await postgresProject(`
      create table lists (id integer primary key, docs jsonb[], kept json[]);
      insert into lists values (1, array['1', 'null', null]::jsonb[], array[null, '{}']::json[]);
    `);
    const warnings: string[] = [];
    await thereAndBack(root, format, (message) => warnings.push(message));
    expect(await stored('lists')).toEqual([{ row: '(1,"{1,NULL,NULL}","{NULL,""{}""}")' }]);
    expect(warnings).toEqual(['The document null in a list comes back as NULL: lists.docs.']);
  });

  it('comes back from NDJSON with empty texts apart from null', async () => {
    const { root, stored } = await postgresProject(`
      create table notes (id integer primary key, body text, tag varchar(9));
      insert into notes values (1, '', null), (2, null, ''), (3, 'null', '0');
    `);
    const before = await stored('notes');
    await thereAndBack(root, 'ndjson');
    expect(await stored('notes')).toEqual(before);
  });
});

describe('an export of SQLite', () => {
  it.each(['ndjson', 'csv'] as const)('comes back from %s with the document null', async (format) => {
    const storage = await temporaryDatabase(`
      create table papers (id integer primary key, doc json, kept json not null);
      insert into papers values (1, 'null', 'null'), (2, null, '[null]'), (3, '"null"', '0');
    `);
    const root = await projectOf(`sqlite:${storage}`);
    const connection = await openSqlite(storage);
    onTestFinished(() => connection.close());
    const before = connection.all('select * from papers order by id', []);
    await thereAndBack(root, format);
    expect(connection.all('select * from papers order by id', [])).toEqual(before);
  });

  it.each(['ndjson', 'csv'] as const)('comes back from %s with every digit of its instants', async (format) => {
    const storage = await temporaryDatabase(`
      create table visits (id integer primary key, at datetime, changed timestamp default current_timestamp);
      insert into visits values (1, '2024-03-10 10:00:00.123456', '2024-03-10 10:00:00.000001'),
        (2, '2024-03-10T10:00:00.9996+02:00', '2024-03-10 10:00:00.5'), (3, '2024-03-10T10:00:00.123Z', null);
      create table events (id integer primary key, at datetime);
      insert into events values (1, 1700000000.1234567), (2, -1.000001), (3, 1600000000), (4, 1600000000.25);
    `);
    const root = await projectOf(`sqlite:${storage}`);
    await thereAndBack(root, format);
    const connection = await openSqlite(storage);
    onTestFinished(() => connection.close());
    expect(connection.all('select at, changed from visits order by id', [])).toEqual([
      { at: '2024-03-10T10:00:00.123456Z', changed: '2024-03-10 10:00:00.000001' },
      { at: '2024-03-10T08:00:00.9996Z', changed: '2024-03-10 10:00:00.500' },
      { at: '2024-03-10T10:00:00.123Z', changed: null },
    ]);
    expect(connection.all('select at from events order by id', []).map(({ at }) => at)).toEqual([
      1700000000.1234567, -1.000001, 1600000000, 1600000000.25,
    ]);
  });

  it.each(['ndjson', 'csv'] as const)('comes back from %s with the storage class of each value', async (format) => {
    const types = [
      '',
      'integer',
      'real',
      'text',
      'numeric',
      'decimal(9, 2)',
      'blob',
      'boolean',
      'date',
      'datetime',
      'time',
    ];
    const columns = [...types, 'json', 'uuid', 'varchar(9)', 'any', 'bigint', 'double'].map(
      (type, i) => `c${i} ${type}`,
    );
    const values = [
      "'text'",
      "'it''s'",
      '5',
      '5.5',
      '-7.0',
      '1e300',
      '9e999',
      "'05'",
      "'1.50'",
      "x'00ff41'",
      "x'3132'",
    ];
    const others = ['null', '9223372036854775807', "'yes'", "'2024-01-02 10:00'", "'10:00'", '\'{"a": 1}\'', "'null'"];
    const all = [...values, ...others, 'char(97, 0, 98)'];
    const rows = all.map((value, index) => `(${[index + 1, ...columns.map(() => value)].join(', ')})`);
    const storage = await temporaryDatabase(`
      create table kinds (id integer primary key, ${columns.join(', ')});
      insert into kinds values ${rows.join(',\n')};
      create table plain (id integer primary key, name text, price decimal(9, 2), at datetime, done boolean, doc json, size real);
      insert into plain values (1, 'Ann', 5, '2024-01-01 10:00:00', 1, '{"a": 1}', 2), (2, '', 5.25, null, 0, null, 2.5);
    `);
    const root = await projectOf(`sqlite:${storage}`);
    const connection = await openSqlite(storage);
    onTestFinished(() => connection.close());
    const classes = columns.map(
      (_, i) => `typeof(c${i}) || ' ' || iif(typeof(c${i}) = 'text', hex(c${i}), quote(c${i})) as c${i}`,
    );
    const stored = () => connection.all(`select id, ${classes.join(', ')} from kinds order by id`, []);
    const before = stored();
    const texts = await thereAndBack(root, format);
    // A document, an instant and a time of day mean the same in another form.
    const isForm = (name: string, value: unknown) =>
      ['c9', 'c10', 'c11', 'c12'].includes(name) && String(value).startsWith('text');
    const comparable = (found: readonly object[]) =>
      found.map((row) =>
        Object.entries(row).map(([name, value]) => (isForm(name, value) ? [name, 'text'] : [name, value])),
      );
    expect(comparable(stored())).toEqual(comparable(before));
    expect(texts.filter((text) => text.includes('Ann') && text.includes(':stored'))).toEqual([]);
  });
});

describe('an export of SQLite with instants that are numbers', () => {
  const script = `
    create table events (id integer primary key, at datetime);
    insert into events values (1, 1700000000.1234567), (2, -1.000001), (3, 1600000000), (4, 1600000000.25);
    create table users (id integer primary key, made datetime);
    insert into users values (1, 1700000000123), (2, null);
    create table sights (id integer primary key, seen datetime);
    insert into sights values (1, 2460000.5), (2, 2460001.25);
  `;
  const forms = { events: { at: 'seconds' }, users: { made: 'milliseconds' }, sights: { seen: 'julianDays' } };

  it.each([
    ['ndjson', {}],
    ['csv', {}],
    ['ndjson', { rename: { events: 'happenings' } }],
  ] as const)('comes back from %s as numbers, with the setting "instants" and %j', async (format, more) => {
    const storage = await temporaryDatabase(script);
    const root = await projectOf(`sqlite:${storage}`, { instants: forms, ...more });
    const connection = await openSqlite(storage);
    onTestFinished(() => connection.close());
    const stored = () =>
      ['events', 'users', 'sights'].map((table) => connection.all(`select * from ${table} order by id`, []));
    const before = stored();
    const warnings: string[] = [];
    await thereAndBack(root, format, (message) => warnings.push(message));
    expect(stored()).toEqual(before);
    expect(warnings).toEqual([]);
  });

  it('names the setting that keeps them before the records that tell the form are gone', async () => {
    const storage = await temporaryDatabase(script);
    const root = await projectOf(`sqlite:${storage}`, {
      instants: { events: forms.events },
      rename: { users: 'people' },
    });
    const warnings: string[] = [];
    const context = {
      ...flowContext(root),
      reporter: { ...silentReporter, warn: (text: string) => warnings.push(text) },
    };
    await exportData(context, { folder: root, collections: ['people'], format: 'csv', target: 'csv' });
    const asked: number[] = [];
    await resetData(context, {
      folder: root,
      confirm: async ({ name }) => {
        asked.push(warnings.length);
        return name;
      },
    });
    expect(asked).toEqual([2]);
    expect(warnings).toEqual([
      expect.stringContaining('"instants": {"users":{"made":"milliseconds"}}.'),
      expect.stringContaining('{"users":{"made":"milliseconds"},"sights":{"seen":"julianDays"}}.'),
    ]);
  });
});

describe('an import of columns that are only shown', () => {
  it('says that their values are lost, and says nothing of what the database works out', async () => {
    const { root, stored } = await postgresProject(`
      create table stays (
        id int generated always as identity primary key, nights daterange, more daterange, twice int generated always as (2) stored,
        age int4range default '[1,3)', whole daterange generated always as (nights) stored
      );
      insert into stays (nights, age) values ('[2024-01-01,2024-01-05)', '[5,6)');
    `);
    const warnings: string[] = [];
    const context = flowContext(root);
    const reporter = { ...silentReporter, warn: (message: string) => void warnings.push(message) };
    const named = { folder: root, collections: [], format: 'ndjson', target: 'out' } as const;
    const { files } = await exportData(context, named);
    await resetData(context, { folder: root, confirm: async ({ name }) => name });
    await importData({ ...context, reporter }, { folder: root, files: files.map((file) => file.path) });
    expect(await stored('stays')).toEqual([{ row: '(1,,,2,"[1,3)",)' }]);
    expect(warnings.filter((warning) => warning.includes('lost'))).toEqual([
      'Columns that are only shown take no values: stays.nights, stays.age. What the files have for them is lost.',
    ]);
  });
});

describe('made records', () => {
  it('fit the types of PostgreSQL that take no text but their own', async () => {
    const { root, stored } = await postgresProject(`
      create table machines (
        id serial primary key, ip inet not null unique, net cidr not null, mac macaddr not null unique, mac8 macaddr8 not null,
        every interval not null, flags bit(4) not null, more bit varying(5) not null, price money not null, ips inet[] not null
      )
    `);
    const context = flowContext(root);
    await seedData(context, { folder: root, collections: [], rows: 300, seed: 1 });
    expect(await stored('machines')).toHaveLength(300);
  });

  it('are refused with the name of their collection', async () => {
    const { root, stored } = await postgresProject(`
      create table first (id serial primary key, body text);
      create table rules (id serial primary key, amount integer not null check (coalesce(nullif(amount, 7), 4) > 1000000 and coalesce(nullif(amount, 7), 4) < 3));
    `);
    const seeding = seedData(flowContext(root), { folder: root, collections: [], rows: 2, seed: 1 });
    await expect(seeding).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('The records made for "rules" do not fit: The value of "amount"'),
    });
    expect(await stored('first')).toEqual([]);
  });
});

describe('an export with keys that the database counts', () => {
  it('comes back to PostgreSQL with the same keys, behind which it counts on', async () => {
    const script = `
      create schema "Sales Dept"; create table authors (id serial primary key, name text);
      create table "Sales Dept"."Book" ("Book Id" bigint generated always as identity primary key, author_id integer references authors);
    `;
    const { root, database, stored } = await postgresProject(script, '?schema=public,Sales%20Dept');
    await postgres.execute(
      database,
      `insert into authors values (7, 'Ada'), (9, 'Grace'); select setval('authors_id_seq', 40);
       insert into "Sales Dept"."Book" overriding system value values (5, 9), (6, 7)`,
    );
    const tables = ['authors', '"Sales Dept"."Book"'] as const;
    const before = [await stored(tables[0]), await stored(tables[1])];
    await thereAndBack(root, 'csv');
    expect([await stored(tables[0]), await stored(tables[1])]).toEqual(before);
    const added = (statement: string) => postgres.execute(database, statement);
    expect(await added("insert into authors (name) values ('Alan') returning id")).toEqual([{ id: 41 }]);
    expect(await added('insert into "Sales Dept"."Book" (author_id) values (7) returning "Book Id" as id')).toEqual([
      { id: '7' },
    ]);
  });
});

describe('an import of files of views and of tables without a key', () => {
  const script = `
    create table notes (id integer primary key, body text); insert into notes values (1, 'a');
    create table log (message text); insert into log values ('hi');
    create view bodies as select body from notes;
  `;

  it('leaves them out beside others', async () => {
    const { root, stored } = await postgresProject(script);
    await thereAndBack(root, 'ndjson');
    expect(await stored('notes')).toEqual([{ row: '(1,a)' }]);
    expect(await stored('log')).toEqual([{ row: '(hi)' }]);
  });

  it('is refused where there are no others', async () => {
    const { root } = await postgresProject(script);
    const context = flowContext(root);
    const named = { folder: root, format: 'csv', target: '.' } as const;
    const { files } = await exportData(context, { ...named, collections: ['log', 'bodies'] });
    await expect(importData(context, { folder: root, files: files.map((file) => file.path) })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: 'Views and tables without a key take no records: log, bodies.',
    });
  });
});

describe('a reset', () => {
  it('says which tables it leaves as they are', async () => {
    const { root, stored } = await postgresProject(`
      create table notes (id integer primary key); insert into notes values (1);
      create table log (message text); insert into log values ('hi');
    `);
    const warnings: string[] = [];
    const context = {
      ...flowContext(root),
      reporter: { ...silentReporter, warn: (text: string) => warnings.push(text) },
    };
    await resetData(context, { folder: root, confirm: async ({ name }) => name });
    expect(warnings).toEqual(['Views and tables without a key are left as they are: log.']);
    expect(await Promise.all([stored('notes'), stored('log')])).toEqual([[], [{ row: '(hi)' }]]);
  });
});

describe('an import of records, some with a key', () => {
  it('is not in the way of the next number', async () => {
    const { root, database } = await postgresProject('create table tags (id serial primary key, name text)');
    await writeFiles(root, { 'tags.csv': 'id,name\n,first\n9,late\n' });
    await importData(flowContext(root), { folder: root, files: [path.join(root, 'tags.csv')] });
    expect(await postgres.execute(database, "insert into tags (name) values ('new') returning id")).toEqual([
      { id: 10 },
    ]);
  });
});

describe('an import into keys that the database counts', () => {
  const script = `
    create table tags (id serial primary key, name text);
    insert into tags values (7, 'late');
  `;

  it('works for a user who may not change how the database counts', async () => {
    const { database, stored } = await postgresProject(script);
    const before = await stored('tags');
    const { port } = postgres.parameters();
    await postgres.execute(
      database,
      `drop role if exists importer; create role importer login password 'importer';
       grant select, insert, update, delete on tags to importer`,
    );
    await thereAndBack(await projectOf(`postgres://importer:importer@127.0.0.1:${port}/${database}`), 'csv');
    expect(await stored('tags')).toEqual(before);
  });
});

/** Keys that lead round in a circle: between two tables, and from later records of a table to earlier ones and to themselves. */
const circles = [
  'create table teams (id integer primary key, lead_id integer, name varchar(20) not null unique)',
  `create table people (
    id integer primary key, boss_id integer, team_id integer not null,
    foreign key (boss_id) references people (id), foreign key (team_id) references teams (id)
  )`,
  'alter table teams add constraint leads foreign key (lead_id) references people (id)',
  "insert into teams values (1, null, 'red'), (2, null, 'blue'), (3, null, 'none')",
  'insert into people values (1, null, 1), (2, null, 1), (3, null, 2)',
  'update people set boss_id = 4 - id',
  'update teams set lead_id = id + 1 where id < 3',
];

describe('an export with keys that lead round in a circle', () => {
  it.each(['ndjson', 'csv'] as const)('comes back from %s on PostgreSQL', async (format) => {
    const { root, stored } = await postgresProject(circles.join(';'));
    const before = [await stored('teams'), await stored('people')];
    await thereAndBack(root, format);
    expect([await stored('teams'), await stored('people')]).toEqual(before);
  });

  it('comes back on PostgreSQL with keys that are needed, and checked at the end', async () => {
    const { root, stored } = await postgresProject(`
      create table a (id integer primary key, b_id integer not null);
      create table b (id integer primary key, a_id integer not null references a deferrable initially deferred);
      alter table a add foreign key (b_id) references b deferrable initially deferred;
      begin; insert into a values (1, 2), (2, 1); insert into b values (1, 1), (2, 2); commit;
    `);
    const before = [await stored('a'), await stored('b')];
    await thereAndBack(root, 'ndjson');
    expect([await stored('a'), await stored('b')]).toEqual(before);
  });

  it('comes back from a chain that is longer than the stack of calls', { tags: 'long' }, async () => {
    const { root, stored } = await postgresProject(`
      create table links (id integer primary key, next_id integer references links (id));
      insert into links select n, nullif(n + 1, 20001) from generate_series(1, 20000) n;
    `);
    const before = await stored('links');
    await thereAndBack(root, 'ndjson');
    expect(await stored('links')).toEqual(before);
  });
});

describeOnMysqlFamily('an export with keys that lead round in a circle', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  it('comes back, with durations, the document null and every digit of its instants', async () => {
    const changed = 'changed timestamp(6) not null default current_timestamp(6) on update current_timestamp(6)';
    const database = await server.createDatabase('circles', [
      ...circles,
      `alter table people add ${changed}, add took time(3), add doc json`,
      // MySQL changes no column that a foreign key refers to.
      'set foreign_key_checks = 0',
      'alter table people modify id integer auto_increment, auto_increment = 50',
      'set foreign_key_checks = 1',
      "update people set changed = '2020-02-02 02:02:02.123456', took = '-100:30:00.5', doc = if(id = 1, 'null', null)",
    ]);
    const { host, port, user, password } = server;
    const root = await projectOf(
      `${member.dialect}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`,
    );
    const connection = await server.connect(database);
    const stored = async () => [
      (await connection.query('select * from teams order by id'))[0],
      (
        await connection.query(
          'select *, cast(changed as char) as digits, json_type(doc) as kind from people order by id',
        )
      )[0],
    ];
    try {
      const before = await stored();
      await thereAndBack(root, 'csv');
      expect(await stored()).toEqual(before);
    } finally {
      await connection.end();
    }
  });
});
