import { randomInt } from 'node:crypto';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { type LogPage, type LogRow, readLog } from '#platform/audit/read-log';
import type { Store } from '#platform/store/store';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const writers = 16;
const batches = 7;
const rowsPerBatch = 3;
const key = deriveCheckpointKey('ab'.repeat(32));
const engines = useStoreEngines();
const [sqlite, postgres] = engines as [(typeof engines)[0], (typeof engines)[0]];

/** One log, which several stores write and read at the same time. The first store is the one that made it. */
async function hammer(stores: readonly Store[]): Promise<void> {
  const [first] = stores;
  if (!first) throw new Error('There is no store.');
  const { environmentId } = await auditedEnvironment(first);
  const owner = { kind: 'activity', environmentId: environmentId.current } as const;
  const acknowledged: string[] = [];
  let isOver = false;

  const append = async (store: Store, holdMs: number) => {
    const entries = Array.from({ length: rowsPerBatch }, () => activityEntry());
    await store.transaction(async (transaction) => {
      const writer = await openChain(transaction, owner, { clock: systemClock, random: systemRandom });
      for (const entry of entries) writer.add(entry);
      await writer.write();
      // A slow transaction holds the chain.
      if (holdMs > 0) await pause(holdMs);
    });
    acknowledged.push(...entries.map(({ id }) => id));
  };
  const chainOf = async ({ db }: Store) => {
    const chain = await findChain(db, owner);
    if (!chain) throw new Error('There is no chain.');
    return chain;
  };
  const page = async (
    store: Store,
    given: Partial<LogPage>,
    createdAt: { readonly gt?: number; readonly lt?: number },
  ) =>
    (await readLog(store.db, await chainOf(store), { createdAt }, { limit: randomInt(1, 30), order: 'asc', ...given }))
      .rows;
  const timeOf = (row: LogRow) => Date.parse(row.entry.createdAt);

  /** Read behind the writers until they have ended and nothing more comes. */
  const follow = async (read: (last: LogRow | undefined) => Promise<readonly LogRow[]>) => {
    const seen: LogRow[] = [];
    for (;;) {
      const isFinal = isOver;
      const rows = await read(seen.at(-1));
      seen.push(...rows);
      if (rows.length === 0 && isFinal) return seen;
      // At the end of the log, reading SQLite waits for nothing: the writers need their turn.
      await setImmediate();
    }
  };
  /** Read from the newest row to the first, again and again, until the writers have ended. */
  const goBack = async (read: (last: LogRow | undefined) => Promise<readonly LogRow[]>) => {
    for (;;) {
      const isFinal = isOver;
      const seen: LogRow[] = [];
      for (let rows = await read(undefined); rows.length > 0; rows = await read(seen.at(-1))) seen.push(...rows);
      const sequences = seen.map(({ entry }) => entry.sequence);
      expect(sequences).toEqual(sequences.map((_, index) => seen.length - index));
      if (isFinal) return seen.toReversed();
    }
  };
  /** Export what is new, cut it at a random byte, and go on from the last cursor that was read whole. */
  const exportInPieces = async (store: Store) => {
    const checkpoints = createCheckpoints({ store, clock: systemClock, key, keep: async () => undefined });
    const pieces: string[] = [];
    let after = 0;
    for (;;) {
      const isFinal = isOver;
      const input = { chain: await chainOf(store), after, maxRows: randomInt(1, 100), signer: { key, checkpoints } };
      let text = '';
      for await (const part of exportAsLines(store.db, { ...input, cursorAt: String })) text += part;
      const read = text.slice(0, randomInt(text.length * 2));
      const lines = read
        .slice(0, read.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean);
      pieces.push(...lines);
      const places = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
      const place = places.findLast(({ object }) => object === 'checkpoint' || object === 'end');
      if (place) after = Number(place['cursor']);
      if (isFinal && places.at(-1)?.['object'] === 'end' && places.at(-1)?.['hasMore'] === false) return pieces;
      await setImmediate();
    }
  };

  await append(first, 0);
  const storeOf = (number: number) => stores[number % stores.length] ?? first;
  const writing = Array.from({ length: writers }, async (_, writer) => {
    for (let batch = 0; batch < batches; batch++) await append(storeOf(writer), writer === 0 ? 50 : 0);
  });
  const reading = stores.flatMap((store) => [
    follow((last) => page(store, { after: last?.entry.sequence }, {})),
    follow((last) => page(store, {}, last ? { gt: timeOf(last) } : {})),
    goBack((last) => page(store, { order: 'desc', after: last?.entry.sequence }, {})),
    goBack((last) => page(store, { order: 'desc' }, last ? { lt: timeOf(last) } : {})),
  ]);
  const exporting = stores.map(exportInPieces);
  const written = Promise.all(writing).finally(() => {
    isOver = true;
  });
  const [exports, reads] = await Promise.all([Promise.all(exporting), Promise.all(reading), written]);

  const total = (writers * batches + 1) * rowsPerBatch;
  const inOrder = Array.from({ length: total }, (_, index) => index + 1);
  for (const rows of reads) {
    expect(rows.map(({ entry }) => entry.sequence)).toEqual(inOrder);
    expect(rows.map(({ entry }) => entry.id).toSorted()).toEqual(acknowledged.toSorted());
  }
  for (const lines of exports) {
    const verdict = await verifyExport(lines, { keys: [verifierOf(key)] });
    expect(verdict).toMatchObject({ outcome: 'holds', rows: total, first: 1, last: total, problem: null });
    const read = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const ids = new Set(read.filter(({ object }) => object === 'activityLog').map(({ id }) => id));
    expect([...ids].toSorted()).toEqual(acknowledged.toSorted());
  }
}

const what = `${writers} writers and a slow one leave every reader and every cut export each row in order`;

it(`${what}, on SQLite`, async () => {
  await hammer([await openTestStore(await sqlite.newPlace())]);
});

it(`${what}, on PostgreSQL`, async () => {
  await hammer([await openTestStore(await postgres.newPlace())]);
});

it(`${what}, on PostgreSQL through two stores`, async () => {
  const place = await postgres.newPlace();
  await hammer([await openTestStore(place), await openTestStore(place)]);
});
