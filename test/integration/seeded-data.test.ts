import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportData } from '#flows/data/export-data';
import { type SeedInput, seedData } from '#flows/data/seed-data';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { describeOnMysqlFamily } from '../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

type Row = Readonly<Record<string, unknown>>;

/** Checks of all kinds, on the columns of one table, and keys of several. All three engines take these statements. */
const schema = (types: { readonly json: string; readonly time: string }) => [
  'create table shops (id integer primary key, code varchar(3) not null unique check (char_length(code) = 3))',
  `create table offers (
    id integer primary key,
    shop_id integer not null references shops (id),
    status varchar(10) not null check (status in ('draft', 'open', 'closed')),
    percent integer not null check (percent between 5 and 50),
    price decimal(8, 2) not null check (price > 100 and price < 200),
    list_price decimal(8, 2) not null,
    starts_on date not null,
    ends_on date not null,
    sku varchar(12) not null unique check (sku like 'AB-%'),
    slug varchar(40) not null check (slug = lower(slug) and char_length(slug) >= 20),
    closed_at ${types.time} null,
    settings ${types.json} not null,
    deleted_at ${types.time} null,
    level integer not null unique,
    opened_at ${types.time} not null default current_timestamp,
    ended_at ${types.time} null,
    check (ends_on > starts_on),
    check (list_price > price),
    check (ended_at is null or ended_at >= opened_at),
    check (status <> 'closed' or closed_at is not null)
  )`,
  `create table votes (
    shop_id integer not null references shops (id), day date not null, kind varchar(5) not null check (kind in ('up', 'down')),
    id integer primary key, unique (shop_id, kind)
  )`,
  `create table transfers (
    id integer primary key, from_id integer not null references shops (id), to_id integer not null references shops (id),
    check (from_id <> to_id)
  )`,
];

const functionOfSqlite = (statement: string) => statement.replaceAll('char_length', 'length');
const family: { server?: MysqlFamilyServer } = {};
const postgres = usePostgresServer();
let databases = 0;

async function projectOn(uri: string, settings: object = {}): Promise<string> {
  const root = await temporaryFolder();
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'offers', dataSources: { main: { uri, ...settings } } }),
    'src/index.ts': 'export default () => undefined;',
  });
  return root;
}

async function onSqlite(statements: readonly string[], settings: object = {}): Promise<string> {
  const root = await projectOn('sqlite:./offers.sqlite', settings);
  const connection = await openSqlite(path.join(root, 'offers.sqlite'));
  for (const statement of statements) connection.execute(functionOfSqlite(statement));
  connection.close();
  return root;
}

async function onPostgres(statements: readonly string[]): Promise<string> {
  const { user, password = '', port } = postgres.parameters();
  const database = await postgres.createDatabase(statements.join(';\n'));
  return projectOn(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`);
}

async function onMysqlFamily(statements: readonly string[]): Promise<string> {
  const { server } = family;
  if (!server) throw new Error('The server is there while tests run.');
  const database = await server.createDatabase(`seeded_${++databases}`, [...statements]);
  return projectOn(
    `mariadb://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/${database}`,
  );
}

const seed = (root: string, rows: number, more: Partial<SeedInput> = {}) =>
  seedData(flowContext(root), { folder: root, collections: [], rows, seed: 1, ...more });

async function rowsOf(root: string, collection: string): Promise<readonly Row[]> {
  const input = { folder: root, collections: [collection], format: 'ndjson', target: 'out' } as const;
  const { files } = await exportData(flowContext(root), input);
  const text = await readFile(files[0]?.path ?? '', 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const refusal = (root: string) => seed(root, 10).catch((error: unknown) => error);

function suite(
  create: (statements: readonly string[]) => Promise<string>,
  types: { json: string; time: string },
): void {
  it('meet checks, unique sets and keys, also the second time', async () => {
    const root = await create(schema(types));
    expect((await seed(root, 30)).collections).toEqual(
      expect.arrayContaining([
        { name: 'shops', created: 30 },
        { name: 'offers', created: 30 },
        { name: 'votes', created: 30 },
        { name: 'transfers', created: 30 },
      ]),
    );
    await seed(root, 30, { seed: 2, collections: ['shops', 'offers'] });
    const offers = await rowsOf(root, 'offers');
    expect(offers).toHaveLength(60);
    expect(new Set(offers.map((offer) => offer['status']))).toEqual(new Set(['draft', 'open', 'closed']));
    expect(new Set(offers.map((offer) => offer['percent'])).size).toBeGreaterThan(3);
    for (const { slug, sku } of offers) {
      expect(slug).toMatch(/^[^A-Z]{20,}$/);
      expect(sku).toMatch(/^AB-/);
    }
  });

  it('have plausible documents, and are deleted in the share that is named', async () => {
    const root = await create(schema(types));
    await seed(root, 40);
    const offers = await rowsOf(root, 'offers');
    const document = (value: unknown) => (typeof value === 'string' ? (JSON.parse(value) as unknown) : value);
    expect(document(offers[0]?.['settings'])).toMatchObject({
      language: expect.any(String),
      theme: expect.any(String),
    });
    expect(new Set(offers.map((offer) => JSON.stringify(offer['settings']))).size).toBeGreaterThan(5);
    const deleted = (rows: readonly Row[]) => rows.filter((row) => row['deleted_at'] !== null).length;
    expect(deleted(offers)).toBeLessThanOrEqual(8);
    const none = await create(schema(types));
    await seed(none, 40, { deletedPercent: 0 });
    expect(deleted(await rowsOf(none, 'offers'))).toBe(0);
    const all = await create(schema(types));
    await seed(all, 40, { deletedPercent: 100 });
    expect(deleted(await rowsOf(all, 'offers'))).toBe(40);
  });

  it('are tried with other values where a check cannot be read, and else nothing is kept and the columns are named', async () => {
    const readable = await create([
      "create table notes (id integer primary key, kind varchar(20) not null, check (nullif(kind, 'zz') in ('a', 'b')))",
    ]);
    await seed(readable, 10);
    expect(await rowsOf(readable, 'notes')).toHaveLength(10);
    const impossible = await create([
      'create table first (id integer primary key, name varchar(20))',
      'create table second (id integer primary key, amount integer not null, check (amount > 3 and amount < 2))',
    ]);
    const error = await refusal(impossible);
    expect(error).toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringMatching(/"second".*"amount".*Nothing is kept/),
    });
    expect(await rowsOf(impossible, 'first')).toEqual([]);
    const unreadable = await create([
      'create table first (id integer primary key, name varchar(20))',
      'create table second (id integer primary key, amount integer not null, check (coalesce(nullif(amount, 77), 0) < 0 and coalesce(nullif(amount, 77), 0) > 5))',
    ]);
    expect(await refusal(unreadable)).toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('"second"'),
    });
    expect(await rowsOf(unreadable, 'first')).toEqual([]);
  });

  it('are as many as there are values that must differ', async () => {
    const root = await create([
      "create table sizes (id integer primary key, name varchar(5) not null unique check (name in ('s', 'm', 'l')))",
    ]);
    expect((await seed(root, 10)).collections).toEqual([{ name: 'sizes', created: 3 }]);
    expect((await seed(root, 10)).collections).toEqual([{ name: 'sizes', created: 0 }]);
  });
}

describe('the records that are made on SQLite', () => {
  suite(onSqlite, { json: 'json', time: 'datetime' });

  it('keep a column empty that vendor-cloud.json names for deletions, under its new name', async () => {
    const table = 'create table tbl_orders (id integer primary key, label text, gone_on datetime)';
    const settings = { rename: { tbl_orders: 'orders' }, softDelete: { tbl_orders: 'gone_on' } };
    const root = await onSqlite([table], settings);
    await seed(root, 40, { deletedPercent: 0 });
    const orders = await rowsOf(root, 'orders');
    expect(orders).toHaveLength(40);
    expect(orders.filter((order) => order['gone_on'] !== null)).toEqual([]);
  });
});

describe('the records that are made on PostgreSQL', () => {
  suite(onPostgres, { json: 'jsonb', time: 'timestamptz' });

  it('have plausible lists, and meet patterns, lists of values and the checks of domains', async () => {
    const root = await onPostgres([
      'create domain percent as integer check (value between 1 and 100)',
      `create table things (
        id integer generated always as identity primary key, tags text[] not null, scores integer[] not null, share percent not null,
        code text not null check (code ~ '^[A-Z]{3}-[0-9]{4}$'), size text not null check (size = any (array['s', 'm']))
      )`,
    ]);
    await seed(root, 20);
    const things = await rowsOf(root, 'things');
    expect(things).toHaveLength(20);
    expect(new Set(things.map((thing) => JSON.stringify(thing['tags']))).size).toBeGreaterThan(5);
    for (const { tags, scores, code, share } of things as readonly {
      tags: string[];
      scores: number[];
      code: string;
      share: number;
    }[]) {
      expect([tags.length > 0, scores.length > 0, new Set(tags).size === tags.length]).toEqual([true, true, true]);
      expect(tags.join('')).toMatch(/^[a-z]+$/);
      expect(code).toMatch(/^[A-Z]{3}-[0-9]{4}$/);
      expect(share).toBeLessThanOrEqual(100);
    }
  });
});

describeOnMysqlFamily('the records that are made', ({ start }) => {
  beforeAll(async () => {
    family.server = await start();
  });
  afterAll(() => family.server?.stop());

  suite(onMysqlFamily, { json: 'json', time: 'datetime' });
});
