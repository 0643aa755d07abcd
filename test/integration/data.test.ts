import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportData } from '#flows/data/export-data';
import { importData } from '#flows/data/import-data';
import { resetData } from '#flows/data/reset-data';
import { seedData } from '#flows/data/seed-data';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** Unique columns, a key that is a text, a relation to itself, one to one, and many to many. */
const schema = `
  create table places (code char(2) primary key, name varchar(12) not null unique);
  create table people (
    id integer primary key, email varchar(40) not null unique, born date, is_admin boolean not null, score decimal(8, 2) not null,
    tier text not null default 'low' check (tier in ('low', 'high')), place_code char(2) not null references places (code),
    boss_id integer references people (id)
  );
  create table badges (id integer primary key, person_id integer not null unique references people (id), created_at timestamp not null);
  create table visits (person_id integer references people (id), place_code char(2) references places (code), primary key (person_id, place_code));
`;

const server = usePostgresServer();

async function createProject(uri: string): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(path.join(root, 'src'));
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'people', dataSources: { main: { uri } } }),
    'src/index.ts': 'export default () => undefined;',
  });
  return root;
}

async function createSqliteProject(): Promise<string> {
  const root = await createProject('sqlite:./people.sqlite');
  const connection = await openSqlite(path.join(root, 'people.sqlite'));
  connection.execute(schema);
  connection.close();
  return root;
}

async function createPostgresProject(): Promise<string> {
  const { user, password = '', port } = server.parameters();
  const database = await server.createDatabase(schema);
  return createProject(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`);
}

async function exported(root: string, format: 'csv' | 'ndjson', target: string) {
  const { files } = await exportData(flowContext(root), { folder: root, collections: [], format, target });
  const texts = await Promise.all(
    files.map(async (file) => [file.collection, await readFile(file.path, 'utf8')] as const),
  );
  return { files, texts: Object.fromEntries(texts) };
}

const byType = [
  ['SQLite', createSqliteProject],
  ['PostgreSQL', createPostgresProject],
] as const;

describe.each(byType)('the data of a project on %s', (_engine, create) => {
  it('are made to fit columns, keys and unique sets, twice in a row', async () => {
    const root = await create();
    const seed = (rows: number, number: number) =>
      seedData(flowContext(root), { folder: root, collections: [], rows, seed: number });
    const { collections } = await seed(12, 1);
    expect(new Map(collections.map(({ name, created }) => [name, created]))).toEqual(
      new Map([
        ['places', 12],
        ['people', 12],
        ['badges', 12],
        ['visits', 12],
      ]),
    );
    expect((await seed(5, 2)).collections).toContainEqual({ name: 'people', created: 5 });
    const { texts } = await exported(root, 'ndjson', 'data');
    const people = (texts['people'] ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(people).toHaveLength(17);
    expect(people[0]).toMatchObject({
      email: expect.stringMatching(/@example\.com$/),
      tier: expect.stringMatching(/low|high/),
    });
  });

  it('come back from NDJSON and CSV as they were', async () => {
    const root = await create();
    await seedData(flowContext(root), { folder: root, collections: [], rows: 8, seed: 3 });
    for (const format of ['ndjson', 'csv'] as const) {
      const before = await exported(root, format, `before-${format}`);
      await resetData(flowContext(root), { folder: root, confirm: async ({ name }) => name });
      const files = before.files.map((file) => file.path).toReversed();
      const { collections } = await importData(flowContext(root), { folder: root, files });
      expect(collections.map(({ created }) => created)).toEqual([8, 8, 8, 8]);
      expect((await exported(root, format, `after-${format}`)).texts).toEqual(before.texts);
    }
  });
});

describe('the import of data', () => {
  it('writes nothing where one record does not fit, and says which', async () => {
    const root = await createSqliteProject();
    await writeFile(path.join(root, 'places.csv'), 'code,name\nFR,France\n');
    await writeFile(path.join(root, 'people.ndjson'), '{"id":1,"shoe":44}\n');
    const files = ['people.ndjson', 'places.csv'];
    await expect(importData(flowContext(root), { folder: root, files })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('people.ndjson, record 1 cannot be imported: "people" has no column "shoe"'),
    });
    expect((await exported(root, 'csv', 'after')).texts['places']).toBe('code,name\n');
  });

  it('takes the name of a file as it is where its signs are not escapes', async () => {
    const root = await createSqliteProject();
    await writeFiles(root, { '100%.ndjson': '{}' });
    await expect(importData(flowContext(root), { folder: root, files: ['100%.ndjson'] })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('There is no collection "100%"'),
    });
  });

  it('refuses a folder, and says to name a file', async () => {
    const root = await createSqliteProject();
    await writeFiles(root, { 'dump/places.csv': 'code,name\n' });
    await expect(importData(flowContext(root), { folder: root, files: ['dump'] })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `${path.join(root, 'dump')} is a folder, and records are imported from files.`,
      nextSteps: ['Name the files in it that end in .csv or .ndjson, such as dump/places.csv.'],
    });
  });

  const latin = (text: string) => Buffer.from(text, 'latin1');
  it.each<[string, string, Buffer, string]>([
    [
      'Windows-1252',
      'places.csv',
      latin('code,name\r\nA,Zoe\r\nB,Ren\xe9e\r\n'),
      'it is not UTF-8 at line 3, column 6',
    ],
    [
      'Windows-1252 behind signs of UTF-8',
      'places.csv',
      Buffer.concat([Buffer.from('\ufeffcode,name\nA,\ufffdé'), latin('\xdf')]),
      'it is not UTF-8 at line 2, column 5',
    ],
    [
      'NDJSON in Latin-1',
      'places.ndjson',
      latin('{"code":"A","name":"\xe9"}\n'),
      'it is not UTF-8 at line 1, column 21',
    ],
    ['UTF-16', 'places.csv', Buffer.from('\ufeffcode,name\nA,Zoe\n', 'utf16le'), 'it is UTF-16'],
    ['UTF-16, the other way round', 'places.csv', Buffer.from('\ufeffcode,name\n', 'utf16le').swap16(), 'it is UTF-16'],
    ['UTF-16 without a mark', 'places.csv', Buffer.from('code,name\nA,Zoe\n', 'utf16le'), 'it is UTF-16'],
    [
      'a repeated header',
      'places.csv',
      Buffer.from('code,name,name\nA,first,second\n'),
      'its header, in line 1, names "name" in column 2 and in column 3',
    ],
  ])('refuses %s by its place, and writes nothing', async (_what, name, bytes, why) => {
    const root = await createSqliteProject();
    await writeFile(path.join(root, name), bytes);
    await expect(importData(flowContext(root), { folder: root, files: [name] })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining(`cannot be imported: ${why}`),
    });
    expect((await exported(root, 'csv', 'after')).texts['places']).toBe('code,name\n');
  });

  it.each([
    ['docs.ndjson', '{"id":1,"doc":{"n":750727362669608961,"price":10.00}}\n'],
    ['docs.csv', 'id,doc\n1,"{""n"":750727362669608961,""price"":10.00}"\n'],
  ])('keeps every digit of numbers in documents, there and back: %s', async (name, text) => {
    const root = await createProject('sqlite:./docs.sqlite');
    const connection = await openSqlite(path.join(root, 'docs.sqlite'));
    connection.execute('create table docs (id integer primary key, doc json)');
    await writeFile(path.join(root, name), text);
    await importData(flowContext(root), { folder: root, files: [name] });
    expect(connection.all('select doc from docs')).toEqual([{ doc: '{"n":750727362669608961,"price":10.00}' }]);
    connection.close();
    const format = name.endsWith('csv') ? 'csv' : 'ndjson';
    expect((await exported(root, format, 'after')).texts['docs']).toBe(text);
  });

  it('refuses two files of one collection', async () => {
    const root = await createSqliteProject();
    const files = ['places.csv', 'places.ndjson'];
    await expect(importData(flowContext(root), { folder: root, files })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `${path.join(root, 'places.ndjson')} cannot be imported: it is for "places", as ${path.join(root, 'places.csv')} is.`,
    });
  });
});

describe('an export of data that is cut off', () => {
  it('leaves the file of the export before, and no other', async () => {
    const root = await createSqliteProject();
    await seedData(flowContext(root), { folder: root, collections: ['places'], rows: 3, seed: 1 });
    const { texts } = await exported(root, 'csv', 'data');
    const context = flowContext(root);
    const append = () => Promise.reject(new Error('The disk is full.'));
    const input = { folder: root, collections: ['places'], format: 'csv', target: 'data' } as const;
    await expect(exportData({ ...context, fs: { ...context.fs, append } }, input)).rejects.toThrow('The disk is full.');
    expect(await readFile(path.join(root, 'data/places.csv'), 'utf8')).toBe(texts['places']);
    expect((await readdir(path.join(root, 'data'))).filter((file) => file.startsWith('places'))).toEqual([
      'places.csv',
    ]);
  });
});

describe.each(byType)('the import of data into %s', (_engine, create) => {
  it('names the file and the record that the database refuses, and keeps nothing', async () => {
    const root = await create();
    const places = Array.from({ length: 700 }, (_, index) => `${index.toString(36).padStart(2, '0')},n${index}`);
    await writeFile(path.join(root, 'places.csv'), ['code,name', ...places].join('\n'));
    const badges = ['{"id":1,"person_id":7,"created_at":"2026-01-02T00:00:00.000Z"}'];
    await writeFile(path.join(root, 'badges.ndjson'), badges.join('\n'));
    const files = ['badges.ndjson', 'places.csv'];
    await expect(importData(flowContext(root), { folder: root, files })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining(`${path.join(root, 'badges.ndjson')}, record 1 cannot be imported: `),
    });
    await writeFile(path.join(root, 'places.csv'), ['code,name', ...places.with(612, 'zz,n3')].join('\n'));
    await expect(importData(flowContext(root), { folder: root, files: ['places.csv'] })).rejects.toMatchObject({
      message: expect.stringMatching(/places\.csv, record 613 cannot be imported: ./),
    });
    expect((await exported(root, 'csv', 'after')).texts['places']).toBe('code,name\n');
  });
});

describe('the reset of data', () => {
  it('needs the name of the project, and fills the sample shop again', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const count = async () => {
      const connection = await openSqlite(path.join(root, 'shop.sqlite'));
      const [row] = connection.all('select count(*) as count from orders');
      connection.close();
      return row?.['count'];
    };
    const before = await count();
    await seedData(flowContext(root), { folder: root, collections: ['orders'], rows: 3, seed: 1 });
    await expect(resetData(flowContext(root), { folder: root, confirm: async () => 'shop2' })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
    });
    expect(await count()).toBe(Number(before) + 3);
    const asked: unknown[] = [];
    const confirm = async (project: { readonly name: string }) => {
      asked.push(project);
      return project.name;
    };
    expect(await resetData(flowContext(root), { folder: root, confirm })).toMatchObject({ hasSampleData: true });
    expect(asked).toEqual([{ name: 'shop', databases: [`sqlite:${path.join(root, 'shop.sqlite')}`] }]);
    expect(await count()).toBe(before);
  });

  it('refuses the secret of a production environment', async () => {
    const root = await createSqliteProject();
    const production = { data: { id: '1', attributes: { name: 'live', type: 'production', api_endpoint: null } } };
    const context = flowContext(root);
    const refused = resetData(
      {
        ...context,
        variables: { SERVICE_ENV_SECRET: 'a'.repeat(64), SERVICE_SERVER_URL: 'http://127.0.0.1:9' },
        http: {
          ...context.http,
          send: async () => ({ status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(production)) }),
        },
      },
      { folder: root, confirm: async ({ name }) => name },
    );
    await expect(refused).rejects.toMatchObject({ code: 'PRODUCTION_KEY_REFUSED' });
  });
});
