import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { joinPeers, ownCounts } from '#runtime/insights/peer-counts';
import { QueryRecorder } from '#runtime/insights/query-recorder';
import type { CallContext } from '#runtime/records/calls/call-context';

const context = { caller: {} } as CallContext;
const joined: { close(): void }[] = [];

afterEach(() => {
  for (const peer of joined.splice(0)) peer.close();
});

/** A worker that has counted one list of each collection. */
async function workerOf(channel: string, size: number, since: number, collections: readonly string[]) {
  const recorder = new QueryRecorder({ now: () => since, monotonicMs: () => 0 });
  for (const collection of collections) {
    const shape = { kind: 'list', collection, fields: [`${collection}_id`] } as const;
    await recorder.measure(context, { work: async () => [], shape: () => shape, shown: () => 2 });
  }
  const peer = joinPeers({ channel, size }, () => recorder.counts());
  joined.push(peer);
  return peer;
}

describe('workers of a host', () => {
  it('add up what each of them has counted, whichever is asked', async () => {
    const channel = randomUUID();
    const one = await workerOf(channel, 3, 1_000, ['orders', 'customers']);
    const other = await workerOf(channel, 3, 2_000, ['orders']);
    await workerOf(channel, 3, 3_000, ['lines']);
    // Those of another program are not asked.
    await workerOf(randomUUID(), 1, 9_000, ['secrets']);
    for (const peer of [one, other]) {
      const { counts, ...facts } = await peer.gather();
      expect(facts).toEqual({ workers: 3, answered: 3, allSince: 3_000 });
      expect(counts.since).toBe(1_000);
      const calls = [...counts.queries].map(([words, { calls: times, shown }]) => [words, times, shown]);
      expect(calls.toSorted()).toEqual([
        ['list customers', 1, 2],
        ['list lines', 1, 2],
        ['list orders', 2, 4],
      ]);
      expect([...counts.used.keys()].toSorted()).toEqual(['customers', 'lines', 'orders']);
    }
  });

  it('say so where one of them does not answer', { tags: 'long' }, async () => {
    const peer = await workerOf(randomUUID(), 2, 1_000, ['orders']);
    expect(await peer.gather()).toMatchObject({ workers: 2, answered: 1, allSince: 1_000 });
  });

  it('leave out nothing where there is one', async () => {
    const recorder = new QueryRecorder({ now: () => 5, monotonicMs: () => 0 });
    expect(await ownCounts(() => recorder.counts())()).toMatchObject({ workers: 1, answered: 1, allSince: 5 });
  });
});
