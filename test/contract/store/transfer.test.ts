import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { sha256Hex } from '#node/system/digest';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { moveStore, type Progress, writeBackup } from '#platform/index';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { restoreBackup } from '#platform/transfer/restore-backup';
import { provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const engines = useStoreEngines();
const [sqlite, postgres] = engines as [(typeof engines)[0], (typeof engines)[0]];
const silent: Progress = () => undefined;
const bytes = Uint8Array.from({ length: 70_000 }, (_each, index) => (index * 7919) % 256);

/** People with names that sort differently by language, a bundle, and a version. */
async function fill(store: Store): Promise<void> {
  const _identity = createIdentityRepository(store);
  for (const name of ['Zoë', 'ängström', 'Abe\u2028break', 'O\'Hara \\ "x"', '漢字 🎉']) {
    const user = { firstName: name, lastName: '', email: `${sha256Hex(Buffer.from(name)).slice(0, 8)}@example.test` };
    await provisionIn(store, {
      project: `project of ${name}`,
      secretHash: sha256Hex(Buffer.from(name)),
      user,
    });
  }
  await store.transaction(async ({ db }) => {
    await db
      .insertInto('bundles')
      .values({ projectId: 1, digest: 'd', sizeBytes: bytes.length, content: bytes, createdAt: 2 ** 50 })
      .execute();
    const of = { projectId: 1, userId: 1, environmentId: 1 };
    const until = { endsAt: 2 ** 50, endedAt: null };
    await db
      .insertInto('elevations')
      .values({ ...of, ...until, role: 'Root', reason: 'It hangs.', minutes: 5, askedAt: 1 })
      .execute();
    await db
      .insertInto('memberships')
      .values({ ...of, kind: 'role', name: 'Root', source: 'elevation', sourceName: '1', endsAt: 2 ** 50 })
      .execute();
    const lines = Array.from({ length: 1200 }, (_each, index) => ({
      environmentId: 1,
      sequence: index + 1,
      host: 'h',
      at: index,
      level: 'Info' as const,
      text: `line ${index}`,
    }));
    for (let start = 0; start < lines.length; start += 400) {
      await db
        .insertInto('hostLines')
        .values(lines.slice(start, start + 400))
        .execute();
    }
  });
}

async function filledPlace(engine: (typeof engines)[0]): Promise<SqlConnectionParams> {
  const place = await engine.newPlace();
  const store = await openStore(place);
  try {
    await fill(store);
  } finally {
    await store.close();
  }
  return place;
}

async function contentOf(store: Store) {
  const { db } = store;
  return {
    users: await db.selectFrom('users').selectAll().orderBy('id').execute(),
    members: await db.selectFrom('members').selectAll().orderBy('projectId').execute(),
    memberships: await db.selectFrom('memberships').selectAll().orderBy('id').execute(),
    elevations: await db.selectFrom('elevations').selectAll().orderBy('id').execute(),
    environments: await db.selectFrom('environments').selectAll().orderBy('id').execute(),
    bundles: (await db.selectFrom('bundles').selectAll().execute()).map((row) => ({
      ...row,
      content: [...row.content],
    })),
    hostLines: await db.selectFrom('hostLines').selectAll().orderBy('sequence').execute(),
  };
}

async function backUpOf(store: SqlConnectionParams): Promise<string> {
  const file = path.join(await temporaryFolder(), 'platform.backup');
  await writeBackup({ store, file, madeAt: '2026-11-23T00:00:00.000Z', madeBy: '0.1.0', progress: silent });
  return file;
}

async function isEmptyPlace(place: SqlConnectionParams): Promise<boolean> {
  const store = await openTestStore(place);
  return (await store.db.selectFrom('users').select('id').execute()).length === 0;
}

const ways = [sqlite, postgres].flatMap((from) => [sqlite, postgres].map((to) => ({ from, to })));

describe.each(ways)('from $from.engine to $to.engine', ({ from, to }) => {
  it('restores a backup with every row, and new rows get new numbers', async () => {
    const source = await filledPlace(from);
    const file = await backUpOf(source);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const target = await to.newPlace();
    const done: string[] = [];
    const restored = await restoreBackup({ file, store: target, progress: (table) => done.push(table) });
    expect(restored.rows).toBeGreaterThan(1200);
    expect(done).toContain('host_lines');
    const [one, other] = [await openTestStore(source), await openTestStore(target)];
    expect(await contentOf(other)).toEqual(await contentOf(one));
    const user = { firstName: 'New', lastName: '', email: 'new@example.test' };
    const { member } = await provisionIn(other, { project: 'new', secretHash: 'f'.repeat(64), user });
    expect(member.id).toBe(6);
  });

  it('moves a store with every row', async () => {
    const source = await filledPlace(from);
    const target = await to.newPlace();
    const moved = await moveStore({ from: source, to: target, progress: silent });
    expect(moved.rows).toBeGreaterThan(1200);
    const [one, other] = [await openTestStore(source), await openTestStore(target)];
    expect(await contentOf(other)).toEqual(await contentOf(one));
  });
});

describe('a backup', () => {
  it('is the same from both engines, and says its digests', async () => {
    const source = await filledPlace(sqlite);
    const target = await postgres.newPlace();
    await moveStore({ from: source, to: target, progress: silent });
    const linesOf = async (place: SqlConnectionParams) =>
      gunzipSync(await readFile(await backUpOf(place)))
        .toString()
        .split('\n');
    const [one, other] = [await linesOf(source), await linesOf(target)];
    expect(JSON.parse(one[0] ?? '')).toMatchObject({
      format: 'vendor-cloud-backup',
      formatVersion: 1,
      engine: 'sqlite',
    });
    expect(other.slice(1, -2)).toEqual(one.slice(1, -2));
    const body = one.slice(0, -2).map((line) => `${line}\n`);
    expect(JSON.parse(one.at(-2) ?? '')).toMatchObject({
      end: 'backup',
      sha256: sha256Hex(Buffer.from(body.join(''))),
    });
  });

  it.each(engines)('shows one instant of $engine while others write', async ({ newPlace }) => {
    const place = await newPlace();
    const store = await openTestStore(place);
    await fill(store);
    const file = path.join(await temporaryFolder(), 'platform.backup');
    const writing: Promise<unknown>[] = [];
    const write = (number: number) =>
      store.transaction(async ({ db }) => {
        await db
          .insertInto('users')
          .values({ firstName: 'Late', lastName: '', email: `${number}@late.test`, createdAt: 1 })
          .execute();
      });
    await writeBackup({
      store: place,
      file,
      madeAt: '',
      madeBy: '0.1.0',
      progress: () => writing.push(write(writing.length)),
    });
    await Promise.all(writing);
    expect(writing.length).toBeGreaterThan(10);
    expect(gunzipSync(await readFile(file)).toString()).not.toContain('late.test');
  });

  it.each<[string, (text: string) => Buffer | string]>([
    ['is cut off', (text) => gzipSync(text).subarray(0, 400)],
    ['lost its last line', (text) => gzipSync(text.split('\n').slice(0, -2).join('\n'))],
    ['has a changed name', (text) => gzipSync(text.replace('Zo', 'Bo'))],
    ['lost a row', (text) => gzipSync(text.replace(/\[1,1199,.*\n/, ''))],
    ['holds a table of something else', (text) => gzipSync(text.replace('"table":"projects"', '"table":"others"'))],
    ['lost a column', (text) => gzipSync(text.replace('"first_name",', ''))],
    ['names two columns as one', (text) => gzipSync(text.replace(/"columns":\["(\w+)","(\w+)"/, '"columns":["$1,$2"'))],
    ['names a column twice', (text) => gzipSync(text.replace(/"columns":\["(\w+)","(\w+)"/, '"columns":["$1","$1"'))],
    ['is newer', (text) => gzipSync(text.replace(/"storeVersion":\d+/, '"storeVersion":999'))],
    ['is text', (text) => text],
    ['is empty', () => ''],
  ])('that %s is refused, and leaves nothing', async (_what, change) => {
    const file = await backUpOf(await filledPlace(sqlite));
    const text = gunzipSync(await readFile(file)).toString();
    await writeFile(file, change(text));
    for (const engine of engines) {
      const place = await engine.newPlace();
      await expect(restoreBackup({ file, store: place, progress: silent })).rejects.toMatchObject({
        code: 'PLATFORM_BACKUP_INVALID',
        nextSteps: [expect.stringContaining('another backup')],
      });
      expect(await isEmptyPlace(place)).toBe(true);
    }
  });
});

it('a backup that unpacks to a line without an end is given up before that fills the memory', async () => {
  const file = await backUpOf(await filledPlace(sqlite));
  const [first = ''] = gunzipSync(await readFile(file))
    .toString()
    .split('\n');
  await writeFile(file, gzipSync(`${first}\n${' '.repeat(50 * 1024 * 1024)}`));
  await expect(restoreBackup({ file, store: await sqlite.newPlace(), progress: silent })).rejects.toMatchObject({
    code: 'PLATFORM_BACKUP_INVALID',
    message: expect.stringContaining('a line of it has more than'),
  });
});

describe.each(engines)('a restore on $engine', (engine) => {
  it('does not touch a place where there is a store', async () => {
    const place = await filledPlace(engine);
    const file = await backUpOf(place);
    const from = await filledPlace(sqlite);
    const refusal = { code: 'PLATFORM_STORE_NOT_EMPTY', nextSteps: [expect.stringContaining('no store yet')] };
    await expect(restoreBackup({ file, store: place, progress: silent })).rejects.toMatchObject(refusal);
    await expect(moveStore({ from, to: place, progress: silent })).rejects.toMatchObject(refusal);
    expect(await isEmptyPlace(place)).toBe(false);
  });
});

describe('a SQLite file in use', () => {
  it('is named, and neither moved nor restored into', async () => {
    const place = await filledPlace(sqlite);
    await openTestStore(place);
    const { storage } = place as { readonly storage: string };
    await expect(moveStore({ from: place, to: await postgres.newPlace(), progress: silent })).rejects.toMatchObject({
      code: 'PLATFORM_STORE_IN_USE',
      message: expect.stringContaining(storage),
    });
  });
});

describe('the place of a backup', () => {
  it.each(['/dev/full', '/dev'])('is not %s', async (file) => {
    const store = await filledPlace(sqlite);
    await expect(writeBackup({ store, file, madeAt: '', madeBy: '', progress: silent })).rejects.toMatchObject({
      code: 'MACHINE_FILE_NOT_WRITABLE',
    });
  });

  it('is neither the store nor any other file', async () => {
    const store = await filledPlace(sqlite);
    const { storage } = store as { readonly storage: string };
    const notes = path.join(path.dirname(storage), 'notes.txt');
    await writeFile(notes, 'Call Ada.');
    for (const file of [storage, notes]) {
      const before = await readFile(file);
      await expect(writeBackup({ store, file, madeAt: '', madeBy: '', progress: silent })).rejects.toMatchObject({
        code: 'MACHINE_FILE_NOT_WRITABLE',
      });
      expect(await readFile(file)).toEqual(before);
    }
  });

  it('replaces an empty file', async () => {
    const store = await filledPlace(sqlite);
    const file = path.join(await temporaryFolder(), 'platform.backup');
    await writeFile(file, '');
    await writeBackup({ store, file, madeAt: '', madeBy: '', progress: silent });
    expect(gunzipSync(await readFile(file)).byteLength).toBeGreaterThan(0);
  });

  it('keeps an older backup when the new one fails', async () => {
    const store = await filledPlace(sqlite);
    const file = await backUpOf(store);
    const before = await readFile(file);
    const failing = () => {
      throw new TypeError('stopped');
    };
    await expect(writeBackup({ store, file, madeAt: '', madeBy: '', progress: failing })).rejects.toThrow('stopped');
    expect(await readFile(file)).toEqual(before);
    await expect(stat(`${file}.unfinished`)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
