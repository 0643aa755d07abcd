import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { leafOf, rowHashOf } from '#contracts/audit/chain';
import type { AuditEntry } from '#contracts/audit/rows';
import { verifierOf } from '#contracts/audit/signing';
import { silentLogger } from '#kernel/ports/logger';
import type { ObjectStore } from '#kernel/ports/object-store';
import { openFileObjects } from '#node/objects/file-objects';
import { systemRandom } from '#node/system/system-random';
import { archiveStore } from '#platform/archive/archive-store';
import { createArchivedRows } from '#platform/archive/archived-rows';
import { createArchivedTo } from '#platform/archive/archived-to';
import { searchArchive } from '#platform/archive/search-archive';
import { verifyArchive } from '#platform/archive/verify-archive';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { erasePersonFromLogs } from '#platform/audit/erase-person';
import type { LogFilter } from '#platform/audit/log-filter';
import { removeExpired } from '#platform/audit/retention';
import { createSegmentKeeper } from '#platform/audit/segments';
import { openDuckDb } from '../../helpers/duckdb.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { sealedValues } from '../../helpers/sealed-values.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);
const keys = [verifierOf(key)];
/** A store of files that does nothing any more after some steps, as if the run had been killed. */
function killedAfter(steps: number, objects: ObjectStore) {
  let left = steps;
  const step = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (left-- > 0) return work();
    throw new Error('The run was killed.');
  };
  const killed: ObjectStore = {
    ...objects,
    create: (name) =>
      step(async () => {
        const out = await objects.create(name);
        return {
          write: (bytes) => step(() => out.write(bytes)),
          complete: () => step(() => out.complete()),
          abort: () => out.abort(),
        };
      }),
    remove: (name) => step(() => objects.remove(name)),
  };
  return { objects: killed, isOver: () => left < 0 };
}

const bob = { object: 'user', id: 2, email: 'bob@example.test', username: 'Bob' } as const;

describe.each(useStoreEngines())('an archive of the log on $engine', ({ newPlace }) => {
  /** A log whose time the test decides: it begins on the first of January 2026. */
  async function start() {
    const place = await newPlace();
    const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
    const time = createManualTime();
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const parts = { store, clock: time.clock, key, random: systemRandom, logger: silentLogger };
    const folder = await temporaryFolder();
    const objects = openFileObjects(folder);
    const archive = (into = objects) => archiveStore({ address: place, platformKey, objects: into, clock: time.clock });
    return {
      ...{ place, store, time, parts, folder, objects, owner },
      append: async (entries: readonly AuditEntry[]) => {
        await store.transaction(async (transaction) => {
          const writer = await openChain(transaction, owner, parts);
          for (const entry of entries) writer.add(entry);
          await writer.write();
        });
        await createSegmentKeeper(parts).settleAll();
      },
      settle: () => createSegmentKeeper(parts).settleAll(),
      archive: async (into = objects) => {
        const logs = await archive(into);
        const log = logs.find(({ environment }) => environment !== null);
        return log?.problem?.message ?? log?.months.map(({ month, rows, state }) => `${month} ${rows} ${state}`);
      },
      verify: async (given = keys, from: ObjectStore = objects) => {
        const { outcome, problem, missing } = await verifyArchive(from, { keys: given, anchors: [] });
        return problem?.message ?? (missing.length > 0 ? missing : outcome);
      },
      search: async (filter: LogFilter) =>
        (await searchArchive(objects, { project: undefined, environment: undefined, filter, limit: 1_000 })).rows,
      erase: (email: string) =>
        erasePersonFromLogs(
          store,
          email,
          {
            ...{ clock: time.clock, random: systemRandom, key, reference: 'GDPR-1', by: 'officer' },
            sealed: sealedValues,
          },
          createArchivedRows(objects),
        ),
      files: async () => {
        const found = await readdir(folder, { recursive: true, withFileTypes: true });
        return found.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      },
    };
  }

  /** Two months that are over, and one that goes on. */
  async function archivedMonths() {
    const log = await start();
    await log.append(Array.from({ length: 30 }, (_, index) => activityEntry({ recordIds: [`r${index}`, 'same'] })));
    await log.append([activityEntry({ user: bob, action: 'delete', recordIds: ['r7'] })]);
    log.time.pass(31 * dayMs);
    await log.append(Array.from({ length: 20 }, () => activityEntry({ recordIds: ['later'] })));
    log.time.pass(28 * dayMs);
    await log.append([activityEntry()]);
    expect(await log.archive()).toEqual(['2026-01 31 archived', '2026-02 20 archived']);
    return log;
  }

  const fileOf = async ({ files }: { readonly files: () => Promise<readonly string[]> }, table: string, month = 1) =>
    (await files()).find((file) => file.includes(`/${table}/`) && file.includes(`month=${month}/`)) ?? '';

  it('has the months that are over, and is verified without the store', async () => {
    const log = await archivedMonths();
    expect(await log.verify()).toBe('holds');
    expect(await log.archive()).toEqual(['2026-01 31 kept', '2026-02 20 kept']);
    expect(await log.verify([])).toEqual(['A public key of the platform, known from elsewhere.']);
  });

  it('is read by DuckDB: counts, sums and each hash are those of the store', async () => {
    const log = await archivedMonths();
    const { all } = await openDuckDb();
    const rows = `read_parquet('${log.folder}/rows/**/*.parquet', hive_partitioning = true)`;
    const chain = await findChain(log.store.db, log.owner);
    const stored = await log.store.db
      .selectFrom('auditRows')
      .select(['sequence', 'hash', 'body', 'action'])
      .where('chainId', '=', chain?.id ?? 0)
      .where('month', '<', 202603)
      .orderBy('sequence')
      .execute();
    expect(
      await all(`select count(*) as n, sum(sequence) as total, sum(record_count) as records from ${rows}`),
    ).toEqual([{ n: '51', total: String((51 * 52) / 2), records: '51' }]);
    expect(await all(`select month, api_operation, count(*) as n from ${rows} group by all order by all`)).toEqual([
      { month: '1', api_operation: 'delete', n: '1' },
      { month: '1', api_operation: 'update', n: '30' },
      { month: '2', api_operation: 'update', n: '20' },
    ]);
    const read = await all(`select sequence, hash, body from ${rows} order by sequence`);
    expect(read).toEqual(stored.map(({ sequence, hash, body }) => ({ sequence: String(sequence), hash, body })));
    const hashOf = rowHashOf(chain?.chain ?? '', 2);
    const genesis = await all(
      `select lag(hash) over (order by sequence) as previous, * from ${rows} order by sequence`,
    );
    for (const { previous, sequence, body, hash } of genesis.slice(1)) {
      expect(hashOf(Number(sequence), String(previous), String(body))).toBe(hash);
    }
    expect(await all(`select sha256(chr(0) || body) as leaf from ${rows} where sequence = 7`)).toEqual([
      { leaf: leafOf(stored[6]?.body ?? '') },
    ]);
  });

  it('is read with the statements of the documentation', async () => {
    const log = await archivedMonths();
    const page = await readFile(new URL('../../../docs/audit-archive.md', import.meta.url), 'utf8');
    const statements = [...page.matchAll(/```sql\n(select[^`]*\/var\/archive[^`]*)```/g)].map(([, sql = '']) => sql);
    expect(statements).toHaveLength(2);
    const { all } = await openDuckDb();
    const [counts, byRecord] = await Promise.all(
      statements.map((sql) =>
        all(
          sql
            .replaceAll('/var/archive', log.folder)
            .replace('activity-production', 'activity-development')
            .replace("record_uid = '7'", "record_uid = 'r7'"),
        ),
      ),
    );
    expect(counts).toEqual([
      { month: '1', api_operation: 'delete', 'count_star()': '1' },
      { month: '1', api_operation: 'update', 'count_star()': '30' },
      { month: '2', api_operation: 'update', 'count_star()': '20' },
    ]);
    expect(byRecord).toMatchObject([
      { user_email_addr: 'bob@example.test', api_operation: 'delete' },
      { user_email_addr: 'ada@example.test', api_operation: 'update' },
    ]);
  });

  it('loses the values of a person who was erased, and nothing else', async () => {
    const log = await archivedMonths();
    const before = await readFile(await fileOf(log, 'rows'));
    await log.erase(bob.email);
    expect(await log.archive()).toEqual(['2026-01 31 erased', '2026-02 20 kept']);
    expect(await log.verify()).toBe('holds');
    expect(await readFile(await fileOf(log, 'rows'))).toEqual(before);
    const { all } = await openDuckDb();
    const values = `read_parquet('${log.folder}/values/**/*.parquet', hive_partitioning = true)`;
    expect(await all(`select user_email_addr, count(*) as n from ${values} group by all`)).toEqual([
      { user_email_addr: 'ada@example.test', n: '50' },
    ]);
    for (const file of await log.files()) expect((await readFile(file)).includes('bob@example.test')).toBe(false);
    const manifest = JSON.parse(await readFile(await fileOf(log, 'manifests'), 'utf8'));
    expect(manifest.erasures).toMatchObject([{ reference: 'GDPR-1', by: 'officer', erased: { user: '31' } }]);
    expect(await log.archive()).toEqual(['2026-01 31 kept', '2026-02 20 kept']);
  });

  it('tells what somebody changed in it', async () => {
    const log = await archivedMonths();
    const tables = ['rows', 'records', 'values', 'manifests'];
    for (const table of tables) {
      const file = await fileOf(log, table);
      const bytes = await readFile(file);
      const changed = Buffer.from(bytes);
      const at = Math.floor(bytes.length / 2);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      expect(await log.verify(), table).toMatch(/was changed|cannot be read|has not signed/);
      await writeFile(file, bytes);
    }
    const missing = await fileOf(log, 'values');
    await rename(missing, `${log.folder}/elsewhere`);
    expect(await log.verify()).toMatch(/^The file values\/.* is missing\.$/);
    await rename(`${log.folder}/elsewhere`, missing);
    const rows = await fileOf(log, 'rows');
    await writeFile(path.join(path.dirname(rows), 'copy.parquet'), await readFile(rows));
    expect(await log.verify()).toMatch(/is in no manifest/);
    await rm(path.join(path.dirname(rows), 'copy.parquet'));
    for (const table of tables) await rm(path.dirname(await fileOf(log, table)), { recursive: true });
    expect(await log.verify()).toBe('holds');
  });

  it('makes a month again whose file is missing while the store has its rows', async () => {
    const log = await archivedMonths();
    await rm(await fileOf(log, 'records'));
    expect(await log.archive()).toEqual(['2026-01 31 archived', '2026-02 20 kept']);
    expect(await log.verify()).toBe('holds');
  });

  it('keeps retention from removing rows that it does not have, or that do not hold in it', async () => {
    const log = await start();
    const { parts, time, objects, store, owner } = log;
    const checkpoints = createCheckpoints({ ...parts, keep: async () => undefined });
    const firstAfterRetention = async () => {
      const archivedTo = createArchivedTo(objects, platformKey, silentLogger);
      await removeExpired({ ...parts, retention: { activityDays: 30, archivedTo } });
      return (await findChain(store.db, owner))?.firstSequence;
    };
    await log.append([activityEntry({ recordIds: ['old'] }), activityEntry()]);
    time.pass(31 * dayMs);
    await log.append([activityEntry()]);
    time.pass(40 * dayMs);
    await checkpoints.signAll();
    time.pass(2 * dayMs);
    await log.append([activityEntry()]);
    expect(await firstAfterRetention()).toBe(1);
    await log.archive();
    const values = await fileOf(log, 'values');
    const bytes = await readFile(values);
    await writeFile(values, Buffer.concat([bytes, bytes]));
    expect(await firstAfterRetention()).toBe(1);
    await writeFile(values, bytes);
    expect(await firstAfterRetention()).toBe(4);
    expect(await log.archive()).toEqual(['2026-01 2 kept', '2026-02 1 kept']);
    expect(await log.verify()).toBe('holds');
    expect(await log.search({ recordId: 'old' })).toMatchObject([{ entry: { user: { email: 'ada@example.test' } } }]);
    await log.erase('ada@example.test');
    await log.erase('ada@example.test');
    expect(await log.archive()).toEqual(['2026-01 2 erased', '2026-02 1 erased']);
    expect(await log.verify()).toBe('holds');
    expect(await log.search({ recordId: 'old' })).toMatchObject([{ entry: { user: { id: 0 } } }]);
    await rm(await fileOf(log, 'values'));
    expect(await log.archive()).toEqual(['2026-01 2 lost', '2026-02 1 kept']);
    expect(await log.verify()).toMatch(/is missing/);
  });

  it('answers a search by record from the row groups that have it', async () => {
    const log = await start();
    const many = Array.from({ length: 400 }, (_, index) => activityEntry({ recordIds: [`r${index}`] }));
    for (let from = 0; from < 400; from += 100) await log.append(many.slice(from, from + 100));
    const [pending, late] = [activityEntry({ status: 'pending', recordIds: ['r7'] }), activityEntry({ user: bob })];
    const later = { actSequence: 401, id: pending.id } as const;
    await log.append([
      pending,
      { object: 'activityLogRecords', ...later, part: 1, recordIds: ['late'] },
      { object: 'activityLogOutcome', ...later, status: 'failed', durationMs: 3 },
    ]);
    await log.append([late]);
    log.time.pass(31 * dayMs);
    await log.append([activityEntry()]);
    await log.archive();
    const seven = await log.search({ recordId: 'r7' });
    expect(seven).toMatchObject([
      { entry: { id: pending.id, user: { email: 'ada@example.test' } }, status: 'failed' },
      { entry: { id: many[7]?.id }, status: 'completed' },
    ]);
    expect(await log.search({ recordId: 'late' })).toMatchObject([{ entry: { id: pending.id } }]);
    expect(await log.search({ recordId: 'late', status: 'completed' })).toEqual([]);
    expect(await log.search({ recordId: 'nowhere' })).toEqual([]);
    expect(await log.search({ userEmail: 'bob@EXAMPLE.test' })).toMatchObject([{ entry: { id: late.id } }]);
    expect(await log.search({ collection: 'nothing' })).toEqual([]);
    expect(await log.search({ collection: 'orders', action: 'update' })).toHaveLength(402);
    expect(await log.search({ createdAt: { gte: Date.parse('2026-02-01T00:00:00Z') } })).toEqual([]);
  });

  it('is whole after a run that was killed at any of its steps, and the next one', async () => {
    const log = await archivedMonths();
    await log.erase(bob.email);
    const makeAgain = async () => {
      await rm(path.dirname(await fileOf(log, 'rows')), { recursive: true });
    };
    let steps = 0;
    for (let isKilled = true; isKilled; steps++) {
      await makeAgain();
      const { objects, isOver } = killedAfter(steps, log.objects);
      await log.archive(objects).catch(() => undefined);
      isKilled = isOver();
      expect(await log.verify(), `after ${steps} steps`).not.toMatch(/signed|changed/);
      await log.archive();
      expect(await log.verify(), `after ${steps} steps`).toBe('holds');
    }
    expect(steps).toBeGreaterThan(10);
  });

  it('is not called broken after a run that was killed while it followed an erasure', async () => {
    const log = await archivedMonths();
    await log.erase(bob.email);
    await cp(log.folder, `${log.folder}-before`, { recursive: true });
    for (let [steps, isKilled] = [0, true]; isKilled; steps++) {
      await rm(log.folder, { recursive: true });
      await cp(`${log.folder}-before`, log.folder, { recursive: true });
      const { objects, isOver } = killedAfter(steps, log.objects);
      await log.archive(objects).catch(() => undefined);
      isKilled = isOver();
      const verdict = await log.verify();
      if (verdict !== 'holds') expect(verdict, `after ${steps} steps`).toEqual([expect.stringMatching(/^Run `audit/)]);
    }
    expect(await log.verify()).toBe('holds');
  });

  it.each(['list', 'readText', 'read'] as const)(
    'is read again where a run follows an erasure before %s',
    async (at) => {
      const log = await archivedMonths();
      await log.erase(bob.email);
      let calls = 0;
      const first = async <Answer>(method: string, ask: () => Promise<Answer>): Promise<Answer> => {
        // The manifests are listed before the run begins.
        if (method === at && ++calls === (at === 'list' ? 3 : 1)) await log.archive();
        return ask();
      };
      const { list, readText, read } = log.objects;
      const meanwhile: ObjectStore = {
        ...log.objects,
        list: (...given) => first('list', () => list(...given)),
        readText: (...given) => first('readText', () => readText(...given)),
        read: (...given) => first('read', () => read(...given)),
      };
      expect(await log.verify(keys, meanwhile)).toBe('holds');
      expect(calls).toBeGreaterThan(1);
    },
  );

  it('is searched again where a run follows an erasure meanwhile', async () => {
    const log = await archivedMonths();
    await log.erase(bob.email);
    let isFirst = true;
    const { read } = log.objects;
    const meanwhile: ObjectStore = {
      ...log.objects,
      async read(name, from, to) {
        if (isFirst && name.startsWith('values/')) {
          isFirst = false;
          await log.archive();
        }
        return read(name, from, to);
      },
    };
    const asked = { project: undefined, environment: undefined, filter: { userEmail: bob.email }, limit: 10 };
    expect(await searchArchive(meanwhile, asked)).toMatchObject({ rows: [] });
    expect(isFirst).toBe(false);
  });

  it('is the same after two runs at once', async () => {
    const log = await start();
    await log.append(Array.from({ length: 600 }, () => activityEntry()));
    log.time.pass(31 * dayMs);
    await log.append([activityEntry()]);
    await Promise.all([log.archive(), log.archive(), log.archive()]);
    expect(await log.verify()).toBe('holds');
    expect(await log.archive()).toEqual(['2026-01 600 kept']);
  });
});
