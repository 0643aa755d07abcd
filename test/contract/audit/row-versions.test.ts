import { describe, expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import { findChain } from '#platform/audit/audit-chains';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { readLog } from '#platform/audit/read-log';
import { verifyStore } from '#platform/audit/verify-store';
import { useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry } from './audited-environment.ts';
import { appendFirstRows } from './first-rows.ts';
import { AuditedPlatform, platformKey } from './tampering/audited-platform.ts';

const engines = useStoreEngines();
const key = deriveCheckpointKey(platformKey);
const keys = [verifierOf(key)];

describe.each(engines)('a log that version 0.1.0 began, on $engine', ({ newPlace }) => {
  async function start() {
    const platform = new AuditedPlatform(await newPlace(), { keepsValues: false });
    const owner = await platform.use(async (store) => {
      await platform.provision(store);
      const [first] = platform.owners;
      if (!first) throw new Error('There is no log.');
      const entries = Array.from({ length: 3 }, () => activityEntry());
      await appendFirstRows(store, first, entries, platform.clock);
      return first;
    });
    return {
      platform,
      append: (count: number) => platform.use((store) => platform.append(store, owner, count)),
      appendFirst: () => platform.use((store) => appendFirstRows(store, owner, [activityEntry()], platform.clock)),
      lines: () =>
        platform.use(async (store) => {
          const chain = await findChain(store.db, owner);
          if (!chain) throw new Error('There is no log.');
          const { clock } = platform;
          const checkpoints = createCheckpoints({ store, clock, key, keep: async () => undefined });
          const input = { chain, after: 0, maxRows: 1e6, signer: { key, checkpoints }, cursorAt: String };
          let text = '';
          for await (const part of exportAsLines(store.db, input)) text += part;
          return text.trimEnd().split('\n');
        }),
      users: () =>
        platform.use(async (store) => {
          const chain = await findChain(store.db, owner);
          if (!chain) throw new Error('There is no log.');
          const { rows } = await readLog(store.db, chain, {}, { limit: 100, order: 'asc' });
          return rows.map(({ entry }) => entry.user?.email);
        }),
      problem: async () => {
        const { logs } = await verifyStore(platform.place, { platformKey, anchors: [] });
        return logs.find((verdict) => verdict.problem)?.problem ?? null;
      },
    };
  }

  it('holds, and goes on with rows of version 2', async () => {
    const log = await start();
    expect(await verifyExport(await log.lines(), { keys })).toMatchObject({ outcome: 'holds', rows: 3 });
    await log.append(1);
    const lines = await log.lines();
    expect(lines.map((line) => /"version":(\d)/.exec(line)?.[1]).filter(Boolean)).toEqual(['1', '1', '1', '2']);
    expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', rows: 4 });
    expect(await log.users()).toEqual([...Array(3).fill('ada@example.test'), 'user1@example.test']);
    expect(await log.problem()).toBeNull();
  });

  it('never goes back to rows of version 1', async () => {
    const log = await start();
    await log.append(1);
    await log.appendFirst();
    const problem = { kind: 'format', sequence: 5 };
    expect(await log.problem()).toMatchObject(problem);
    expect(await verifyExport(await log.lines(), { keys })).toMatchObject({ outcome: 'broken', problem });
  });

  it('is not called broken by a verifier that does not know the format', async () => {
    const log = await start();
    await log.append(1);
    const [first = '', ...rows] = await log.lines();
    const newer = [first.replace('"format":2', '"format":3'), ...rows.map((row) => row.replace('a', 'b'))];
    const verdict = await verifyExport(newer, { keys });
    expect(verdict).toMatchObject({ outcome: 'unverifiable', problem: null });
    expect(verdict.missing).toEqual([expect.stringMatching(/format 3.*update/)]);
  });
});

it('a store on PostgreSQL takes no rows of a process of an older version, which may still run', async () => {
  const place = await engines.find(({ engine }) => engine === 'postgres')?.newPlace();
  if (!place) throw new Error('There is no PostgreSQL.');
  const platform = new AuditedPlatform(place);
  await platform.use(async (store) => {
    await platform.provision(store);
    const older = store.transaction(async ({ db }) => {
      const {
        version: _version,
        disclosed: _disclosed,
        ...row
      } = await db.selectFrom('auditRows').selectAll().orderBy('sequence', 'desc').limit(1).executeTakeFirstOrThrow();
      await db
        .insertInto('auditRows')
        .values({ ...row, sequence: row.sequence + 1 } as typeof row & { version: 1; disclosed: null })
        .execute();
    });
    await expect(older).rejects.toThrow();
    const [owner] = platform.owners;
    if (!owner) throw new Error('There is no log.');
    await platform.append(store, owner, 4);
    const nameless = store.transaction(async ({ db }) => {
      const row = await db
        .selectFrom('auditRows')
        .selectAll()
        .where('clientId', 'is not', null)
        .limit(1)
        .executeTakeFirstOrThrow();
      await db
        .insertInto('auditRows')
        .values({ ...row, sequence: row.sequence + 10, clientId: null, clientName: null })
        .execute();
    });
    await expect(nameless).rejects.toThrow('"client_id"');
    const unversioned = store.transaction(async ({ db }) => {
      const row = await db
        .selectFrom('auditRows')
        .selectAll()
        .where('codeVersion', 'is not', null)
        .limit(1)
        .executeTakeFirstOrThrow();
      await db
        .insertInto('auditRows')
        .values({ ...row, sequence: row.sequence + 20, codeVersion: null })
        .execute();
    });
    await expect(unversioned).rejects.toThrow('"code_version"');
  });
});
