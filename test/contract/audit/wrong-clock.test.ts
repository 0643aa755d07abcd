import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { readLog } from '#platform/audit/read-log';
import { removeExpired } from '#platform/audit/retention';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const key = deriveCheckpointKey('ab'.repeat(32));

describe.each(useStoreEngines())('the audit log under a wrong clock on $engine', ({ newPlace }) => {
  async function start(begin: string) {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const time = { now: Date.parse(begin) };
    const clock = { now: () => time.now, monotonicMs: () => 0 };
    const file = path.join(await temporaryFolder(), 'checkpoints');
    const checkpoints = createCheckpoints({ store, clock, key, keep: (note) => appendFile(file, `${note}\n`) });
    const parts = { clock, random: systemRandom };
    const chain = async () => {
      const found = await findChain(store.db, owner);
      if (!found) throw new Error('There is no chain.');
      return found;
    };
    return {
      time,
      checkpoints,
      chain,
      append: (count: number) =>
        store.transaction(async (transaction) => {
          const writer = await openChain(transaction, owner, parts);
          for (let index = 0; index < count; index++) writer.add(activityEntry());
          await writer.write();
        }),
      removeExpired: () => removeExpired({ store, key, retention: { activityDays: 31 }, ...parts }),
      read: async (createdAt: { readonly lt?: number; readonly gt?: number }, order: 'asc' | 'desc') =>
        (await readLog(store.db, await chain(), { createdAt }, { limit: 7, order })).rows.map(({ entry }) => entry),
      /** How many checkpoints of this log were signed. */
      notes: async () => (await readFile(file, 'utf8')).split((await chain()).chain).length - 1,
      async verdict() {
        const lines: string[] = [];
        const input = { chain: await chain(), after: 0, maxRows: 1_000_000, signer: { key, checkpoints } };
        for await (const part of exportAsLines(store.db, { ...input, cursorAt: String })) {
          lines.push(...part.trimEnd().split('\n'));
        }
        return verifyExport(lines, { keys: [verifierOf(key)] });
      },
    };
  }

  it('gives later rows later times when the clock steps, and paging by time loses no row', async () => {
    const log = await start('2026-12-31T23:59:58.000Z');
    const steps = [999, 1, 1_000, -1_000, hourMs, -hourMs, -1, 0, -hourMs, 2 * hourMs];
    for (const step of steps) {
      log.time.now += step;
      await log.append(3);
    }
    for (const order of ['asc', 'desc'] as const) {
      const seen: number[] = [];
      for (let last: number | undefined; ; ) {
        const range = last === undefined ? {} : order === 'asc' ? { gt: last } : { lt: last };
        const page = await log.read(range, order);
        if (page.length === 0) break;
        seen.push(...page.map(({ sequence }) => sequence));
        last = Date.parse(page.at(-1)?.createdAt ?? '');
      }
      const all = Array.from({ length: 30 }, (_, index) => index + 1);
      expect(seen).toEqual(order === 'asc' ? all : all.toReversed());
    }
    expect(await log.verdict()).toMatchObject({ outcome: 'holds', rows: 30, problem: null });
  });

  it('keeps every row when the clock is years ahead, and removes what is old once the clock is believed', async () => {
    const log = await start('2026-06-01T00:00:00.000Z');
    await log.append(10);
    await log.checkpoints.signDue();
    log.time.now += 2 * dayMs;
    await log.checkpoints.signDue();
    log.time.now += 3_650 * dayMs;
    await log.checkpoints.signDue();
    await log.removeExpired();
    expect(await log.chain()).toMatchObject({ firstSequence: 1, headSequence: 10 });
    log.time.now += 23 * hourMs;
    await log.checkpoints.signDue();
    await log.removeExpired();
    expect(await log.chain()).toMatchObject({ firstSequence: 1, headSequence: 10 });
    log.time.now += hourMs;
    await log.removeExpired();
    expect(await log.chain()).toMatchObject({ firstSequence: 10, headSequence: 11 });
    expect(await log.verdict()).toMatchObject({ outcome: 'holds', first: 10, last: 11 });
  });

  it('signs a resting chain every hour again after the clock was years ahead', async () => {
    const log = await start('2026-06-01T00:00:00.000Z');
    await log.append(2);
    log.time.now += 3_650 * dayMs;
    await log.checkpoints.signDue();
    expect(await log.notes()).toBe(1);
    log.time.now -= 3_650 * dayMs;
    const counts: number[] = [];
    for (const passedMs of [0, 10_000, 10_000, 59 * 60_000, hourMs]) {
      log.time.now += passedMs;
      await log.checkpoints.signDue();
      counts.push(await log.notes());
    }
    expect(counts).toEqual([2, 2, 2, 2, 3]);
    await log.append(1);
    log.time.now += 61_000;
    await log.checkpoints.signDue();
    expect(await log.notes()).toBe(4);
    expect(await log.verdict()).toMatchObject({ outcome: 'holds', rows: 3 });
  });
});
