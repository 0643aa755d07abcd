import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { verifyStore } from '#platform/audit/verify-store';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const platformKey = 'ab'.repeat(32);
const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;
const begin = Date.parse('2026-03-01T10:00:00.000Z');

describe.each(useStoreEngines())('a clock that goes back, on $engine', ({ newPlace }) => {
  async function start() {
    const place = await newPlace();
    const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
    const time = { ms: begin };
    const parts = { clock: { now: () => time.ms, monotonicMs: () => time.ms }, random: systemRandom };
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const admin = { kind: 'admin', projectId: environmentId.projectId } as const;
    return {
      time,
      log: async () => (await findChain(store.db, owner))?.chain,
      append: (count: number, to: typeof owner | typeof admin = owner) =>
        store.transaction(async (transaction) => {
          const writer = await openChain(transaction, to, parts);
          for (let index = 0; index < count; index++) writer.add(activityEntry());
          await writer.write();
        }),
      admin,
      noted: async () => {
        const rows = await store.db
          .selectFrom('auditRows')
          .select('body')
          .where('action', '=', 'clock')
          .orderBy('sequence')
          .execute();
        return rows.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      },
      verify: async () => {
        const key = deriveCheckpointKey(platformKey);
        await createCheckpoints({ store, ...parts, key, keep: async () => undefined }).signAll();
        const { logs } = await verifyStore(place, { platformKey, anchors: [] });
        return logs.map(({ outcome, problem, clockJumps }) => ({ outcome, problem, clockJumps }));
      },
    };
  }

  it('leaves a row in the log of the project, which verification tells', async () => {
    const { time, append, noted, verify, log } = await start();
    await append(2);
    time.ms = begin + yearMs;
    await append(1);
    expect(await noted()).toEqual([]);
    time.ms = begin + minuteMs;
    await append(2);
    await append(2);
    const [from, to] = ['2027-03-01T10:00:00.000Z', '2026-03-01T10:01:00.000Z'];
    expect(await noted()).toEqual([
      expect.objectContaining({
        object: 'adminLog',
        type: 'update',
        initiator: 'platform',
        environment: { object: 'environment', name: expect.any(String) },
        previousValue: { log: await log(), at: from },
        newValue: { log: await log(), at: to },
      }),
    ]);
    expect(await verify()).toEqual([
      { outcome: 'holds', problem: null, clockJumps: [{ log: await log(), from, to }] },
      { outcome: 'holds', problem: null, clockJumps: undefined },
    ]);
  });

  it('leaves a row for the log of the project itself', async () => {
    const { time, append, noted, admin, verify } = await start();
    time.ms = begin + yearMs;
    await append(1, admin);
    time.ms = begin;
    await append(1, admin);
    expect(await noted()).toHaveLength(1);
    expect((await verify()).map(({ outcome }) => outcome)).toEqual(['holds']);
  });

  it('leaves one row an hour where the clocks of two processes differ', async () => {
    const { time, append, noted } = await start();
    for (let turn = 0; turn < 5; turn++) {
      time.ms = begin + turn * minuteMs;
      await append(1);
      time.ms += 10 * minuteMs;
      await append(1);
    }
    expect(await noted()).toHaveLength(1);
    time.ms = begin + 90 * minuteMs;
    await append(1);
    time.ms -= 10 * minuteMs;
    await append(1);
    expect(await noted()).toHaveLength(2);
  });

  it('leaves no row where rows come so fast that their times run ahead', { tags: 'long' }, async () => {
    const { append, noted } = await start();
    await append(70_000);
    await append(1);
    expect(await noted()).toEqual([]);
  });
});
