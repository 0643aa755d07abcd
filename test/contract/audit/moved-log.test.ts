import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { systemRandom } from '#node/system/system-random';
import { type ChainOwner, findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { removeExpired } from '#platform/audit/retention';
import { moveStore, writeBackup } from '#platform/index';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { restoreBackup } from '#platform/transfer/restore-backup';
import { createManualTime } from '../../helpers/manual-time.ts';
import { useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const key = deriveCheckpointKey('ab'.repeat(32));
const keys = [verifierOf(key)];
const random = systemRandom;
const progress = () => undefined;
const { clock, pass } = createManualTime();
const engines = useStoreEngines();
const [sqlite, postgres] = engines as [(typeof engines)[0], (typeof engines)[0]];

async function withStore<Result>(place: SqlConnectionParams, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(place);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function append(store: Store, owner: ChainOwner, count: number): Promise<void> {
  return store.transaction(async (transaction) => {
    const writer = await openChain(transaction, owner, { clock, random });
    for (let index = 0; index < count; index++) writer.add(activityEntry());
    await writer.write();
  });
}

function checkpointsOf(store: Store) {
  return createCheckpoints({ store, clock, key, keep: async () => undefined });
}

/** A log over three months, whose first rows were removed; and its owner. */
async function fill(place: SqlConnectionParams): Promise<ChainOwner> {
  return withStore(place, async (store) => {
    const { environmentId } = await auditedEnvironment(store);
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    for (let month = 0; month < 3; month++) {
      await append(store, owner, 40);
      pass(31 * dayMs);
    }
    await checkpointsOf(store).signAll();
    pass(dayMs);
    await removeExpired({ store, clock, random, key, retention: { activityDays: 70 } });
    await append(store, owner, 5);
    return owner;
  });
}

async function exportOf(store: Store, owner: ChainOwner): Promise<readonly string[]> {
  const chain = await findChain(store.db, owner);
  if (!chain) throw new Error('There is no chain.');
  const signer = { key, checkpoints: checkpointsOf(store) };
  let text = '';
  const input = { chain, after: 0, maxRows: 1_000_000, signer, cursorAt: String };
  for await (const part of exportAsLines(store.db, input)) text += part;
  return text.trimEnd().split('\n');
}

const isRow = (line: string) => line.includes('"previousHash"') && line.includes('"sequence"');

/** The rows, after they were verified. */
async function verifiedRows(place: SqlConnectionParams, owner: ChainOwner, anchors: readonly string[] = []) {
  const lines = await withStore(place, (store) => exportOf(store, owner));
  expect(await verifyExport(lines, { keys, anchors })).toMatchObject({ outcome: 'holds', problem: null });
  return lines.filter(isRow);
}

async function backUp(store: SqlConnectionParams): Promise<string> {
  const file = path.join(await temporaryFolder(), 'platform.backup');
  await writeBackup({ store, file, madeAt: '2026-11-23T00:00:00.000Z', madeBy: '0.1.0', progress });
  return file;
}

describe.each([
  { from: sqlite, to: postgres },
  { from: postgres, to: sqlite },
])('the audit log from $from.engine to $to.engine', ({ from, to }) => {
  it('holds after a move and after a restore, with its tombstone and its months, and goes on', async () => {
    const source = await from.newPlace();
    const owner = await fill(source);
    const before = await verifiedRows(source, owner);
    expect(before).toHaveLength(86);
    expect(before.filter((line) => line.includes('"object":"tombstone"'))).toHaveLength(1);
    const restored = await to.newPlace();
    await restoreBackup({ file: await backUp(source), store: restored, progress });
    const moved = await to.newPlace();
    await moveStore({ from: source, to: moved, progress });
    for (const place of [restored, moved]) {
      expect(await verifiedRows(place, owner)).toEqual(before);
      await withStore(place, (store) => append(store, owner, 3));
      expect((await verifiedRows(place, owner)).slice(0, 86)).toEqual(before);
    }
  });
});

describe.each(engines)('the audit log on $engine', (engine) => {
  it('holds in a backup that is made while rows are written', async () => {
    const place = await engine.newPlace();
    const owner = await fill(place);
    const file = path.join(await temporaryFolder(), 'platform.backup');
    const writing: Promise<void>[] = [];
    await withStore(place, async (store) => {
      const write = () => void writing.push(append(store, owner, 2));
      await writeBackup({ store: place, file, madeAt: '', madeBy: '0.1.0', progress: write });
      await Promise.all(writing);
    });
    expect(writing.length).toBeGreaterThan(10);
    const restored = await engine.newPlace();
    await restoreBackup({ file, store: restored, progress });
    const kept = await verifiedRows(restored, owner);
    expect((await verifiedRows(place, owner)).slice(0, kept.length)).toEqual(kept);
  });

  it('is broken in a backup of yesterday and in a fork of it, for who kept a checkpoint of today', async () => {
    const place = await engine.newPlace();
    const owner = await fill(place);
    const yesterday = await backUp(place);
    const anchor = await withStore(place, async (store) => {
      await append(store, owner, 4);
      const chain = await findChain(store.db, owner);
      if (!chain) throw new Error('There is no chain.');
      return checkpointsOf(store).sign(chain);
    });
    await verifiedRows(place, owner, [anchor]);
    const restored = await engine.newPlace();
    await restoreBackup({ file: yesterday, store: restored, progress });
    const lines = await withStore(restored, (store) => exportOf(store, owner));
    expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds' });
    expect(await verifyExport(lines, { keys, anchors: [anchor] })).toMatchObject({
      outcome: 'broken',
      problem: { kind: 'truncated' },
    });
    await withStore(restored, (store) => append(store, owner, 9));
    const fork = await withStore(restored, (store) => exportOf(store, owner));
    expect(await verifyExport(fork, { keys, anchors: [anchor] })).toMatchObject({
      outcome: 'broken',
      problem: { kind: 'checkpoint' },
    });
  });
});
