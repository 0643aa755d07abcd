import { chmod, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { createSpentApprovalRepository } from '#platform/approvals/spent-approvals';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createSignInStore } from '#platform/provider/provider-store';
import { createSchemaRepository } from '#platform/schemas/schemas';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { createTokenRepository } from '#platform/tokens/token-repository';
import { createVersionRepository } from '#platform/versions/version-repository';
import { createOverrideRepository } from '#sandbox/fixtures/override-repository';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

async function open(storage: string): Promise<Store> {
  const store = await openStore({ dialect: 'sqlite', storage });
  onTestFinished(() => store.close());
  return store;
}

/** A file made by SQL. */
async function makeFile(script: string): Promise<string> {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  const connection = await openSqlite(file);
  connection.execute(script);
  connection.close();
  return file;
}

async function shapeOf(file: string) {
  const connection = await openSqlite(file, { isReadOnly: true });
  const rows = connection.all(`
    select m.name as "table", c.name, c.type, c."notnull", c.pk, l.strict, l.wr
    from sqlite_schema m join pragma_table_info(m.name) c join pragma_table_list l on l.name = m.name
    where m.type in ('table', 'index') order by 1, c.cid`);
  connection.close();
  return rows;
}

it('a store that an older version wrote opens with all that is in it', async () => {
  const script = await readFile(new URL('../../fixtures/store/version-5.sql', import.meta.url), 'utf8');
  const store = await open(await makeFile(script));
  const identity = createIdentityRepository(store);
  const environment = await identity.findEnvironmentBySecret('environment-hash');
  expect(environment).toMatchObject({ id: 1, projectName: 'shop', type: 'development', apiEndpoint: null });
  expect(await identity.listMembers(1)).toMatchObject([{ email: 'ada@example.test', roleName: 'Administrators' }]);
  expect(await createTokenRepository(store, systemClock, adminLog).findByHash('00ff')).toMatchObject({ userId: 1 });
  expect(await createSchemaRepository(store, systemClock).findHash(1)).toBe('schema-hash');
  expect(await createOverrideRepository(store).find(1)).toEqual({ orders: { collection: { addEnabled: false } } });
  const deployments = createVersionRepository(store, systemClock, adminLog);
  expect(await deployments.findVersionByKey(1, 'key')).toMatchObject({ number: 1, sizeBytes: 3 });
  const spending = { digest: 'approval-digest', runId: 'another run', expiresAt: 4_000_000_000 };
  expect(await createSpentApprovalRepository(store, systemClock).spend(1, spending)).toBe(false);
  expect(await createSignInStore(store, systemClock).adapterOf('Client').find('unknown')).toBeUndefined();
});

it('a new store has the tables that an older version made', async () => {
  const script = await readFile(new URL('../../fixtures/store/version-5.sql', import.meta.url), 'utf8');
  const old = await makeFile(script);
  const added = path.join(await temporaryFolder(), 'platform.sqlite');
  await (await openStore(`sqlite:${old}`)).close();
  await (await openStore(`sqlite:${added}`)).close();
  expect(await shapeOf(added)).toEqual(await shapeOf(old));
});

it('its files are readable by their owner only, in a folder that nobody else enters', async () => {
  const folder = path.join(await temporaryFolder(), 'private');
  const file = path.join(folder, 'platform.sqlite');
  const earlier = await openStore(`sqlite:${file}`);
  await earlier.close();
  await chmod(file, 0o644);
  await open(file);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}.lock`])
    expect([each, (await stat(each)).mode & 0o777]).toEqual([each, 0o600]);
});

it('a second server on the same file is refused, and may have it when the first one is gone', async () => {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  const first = await openStore(`sqlite:${file}`);
  await expect(openStore(`sqlite:${file}`)).rejects.toMatchObject({
    code: 'PLATFORM_STORE_IN_USE',
    message: expect.stringContaining(file),
  });
  const program = fileURLToPath(new URL('store-writer.ts', import.meta.url));
  const parameters = ['--conditions=vendor-source', program, `sqlite:${file}`];
  const elsewhere = await execa(process.execPath, parameters, { reject: false });
  expect(JSON.parse(elsewhere.stderr)).toMatchObject({ code: 'PLATFORM_STORE_IN_USE' });
  await first.close();
  await open(file);
});

it.each<[what: string, make: (file: string) => Promise<unknown>, message: string]>([
  ['a text file', (file) => writeFile(file, 'shopping list '.repeat(50)), 'is damaged, or it is not a store'],
  [
    'a database of something else',
    async (file) => {
      const connection = await openSqlite(file);
      connection.execute('create table t (a); pragma journal_mode = delete');
      connection.close();
    },
    'is a database of something else',
  ],
  [
    'a store of a newer version',
    async (file) => {
      await (await openStore(`sqlite:${file}`)).close();
      const connection = await openSqlite(file);
      connection.execute('pragma user_version = 999');
      connection.close();
    },
    'made by a newer version',
  ],
])('%s is refused by its name and stays as it was', async (_what, make, message) => {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  await make(file);
  const folder = path.dirname(file);
  await chmod(file, 0o644);
  // SQLite itself may leave an empty log behind, also when it only reads.
  const look = async () => [
    await readFile(file),
    (await readdir(folder)).filter((name) => !/-(?:wal|shm)$/.test(name)),
  ];
  const before = await look();
  const refused = openStore(`sqlite:${file}`);
  await expect(refused).rejects.toMatchObject({
    code: 'PLATFORM_STORE_UNAVAILABLE',
    message: expect.stringContaining(message),
    nextSteps: [expect.any(String)],
  });
  await expect(refused).rejects.toThrow(file);
  expect(await look()).toEqual(before);
  expect((await stat(file)).mode & 0o777).toBe(0o644);
});

it('damage that shows only later is reported with the name of the file', async () => {
  const file = path.join(await temporaryFolder(), 'platform.sqlite');
  const first = await openStore(`sqlite:${file}`);
  const content = Buffer.alloc(400_000, 1);
  await provisionIn(first, {
    project: 'shop',
    secretHash: 'hash',
    user: { firstName: 'Ada', lastName: '', email: 'ada@example.test' },
  });
  await createVersionRepository(first, systemClock, adminLog).addBundle(1, 'digest', content);
  await first.close();
  await truncate(file, 150_000);
  const asked = open(file).then((store) => store.db.selectFrom('bundles').selectAll().execute());
  await expect(asked).rejects.toMatchObject({
    code: 'PLATFORM_STORE_UNAVAILABLE',
    message: expect.stringContaining(file),
    nextSteps: [expect.stringContaining('backup')],
  });
});

it('the lock beside a store is held, and is an empty file', async () => {
  const storage = path.join(await temporaryFolder(), 'platform.sqlite');
  const store = await open(storage);
  expect((await stat(`${storage}.lock`)).size).toBe(0);
  await expect(openStore({ dialect: 'sqlite', storage })).rejects.toMatchObject({ code: 'PLATFORM_STORE_IN_USE' });
  await store.close();
  expect((await stat(`${storage}.lock`)).size).toBe(0);
  expect((await readdir(path.dirname(storage))).filter((name) => name.includes('.lock'))).toEqual([
    'platform.sqlite.lock',
  ]);
});
