import type { KeyObject } from 'node:crypto';
import { sql } from 'kysely';
import { signCheckpoint } from '#contracts/audit/signing';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Store } from '../store/store.ts';
import { type ChainRecord, ownerOf } from './audit-chains.ts';
import type { AuditSigner } from './audit-signer.ts';
import { openChain } from './chain-writer.ts';
import { hashAt } from './export-chain.ts';
import { adoptChains } from './register.ts';
import { trimTrees } from './segment-tree.ts';
import { createSegmentKeeper, placeOf, settleWhole, signedSegments } from './segments.ts';

/** How long rows are kept, in days. Without a number, for ever. */
export interface Retention {
  readonly activityDays?: number | undefined;
  readonly adminDays?: number | undefined;
  /** Rows stay until an archive has them. Without it, nobody asks for one. */
  readonly archivedTo?: ArchivedTo | undefined;
}

/** The last of the rows `from` to `to` that an archive has, with all before it, and that was verified there; less than `from` for none. */
export type ArchivedTo = (chain: string, from: number, to: number) => Promise<number>;

interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly key: KeyObject;
  readonly retention: Retention;
  /** Ends the work on segments at its next step. */
  readonly signal?: AbortSignal | undefined;
}

const dayMs = 24 * 60 * 60_000;
const rowsPerStep = 5_000;

/**
 * Remove the rows that are older than their retention from the beginning of each chain. A tombstone at its end says which ones
 * and signs their last hash, so that the rest can still be verified. Work that was interrupted goes on with the next call.
 */
export async function removeExpired(options: RetentionOptions): Promise<void> {
  const { store, clock, retention } = options;
  for (const chain of await store.db.selectFrom('auditChains').selectAll().execute()) {
    const days = chain.kind === 'activity' ? retention.activityDays : retention.adminDays;
    const time = days === undefined ? undefined : await believedTime(store.db, chain, clock.now());
    if (days !== undefined && time !== undefined) {
      // Rows stay until the segment of their month is signed.
      await settleWhole(options, chain);
      const signed = (await signedSegments(store.db, chain.id)).at(-1)?.last ?? 0;
      const due = Math.min(signed, (await lastBefore(store.db, chain, time - days * dayMs)) ?? 0);
      const isDue = due >= chain.firstSequence;
      const last =
        isDue && retention.archivedTo ? await retention.archivedTo(chain.chain, chain.firstSequence, due) : due;
      if (last >= chain.firstSequence) await bury(options, chain, last, days);
    }
  }
  // On PostgreSQL a month goes as a whole. What it shares with rows that stay is deleted.
  if (store.engine === 'postgres') await removeMonths(store);
  for (const { id } of await store.db.selectFrom('auditChains').select('id').execute()) await removeBuried(store, id);
  await removeMonths(store);
}

async function lastBefore(db: Store['db'], chain: ChainRecord, time: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('auditRows')
    .select('sequence')
    .where('chainId', '=', chain.id)
    .where('createdAt', '<', time)
    .where(sql<number>`${sql.ref('sequence')} + 0`, '>=', chain.firstSequence)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  // The last row stays, so that the chain has a head.
  return row && Math.min(row.sequence, chain.headSequence - 1);
}

/** From here on, the rows up to `last` are not part of the log. */
async function bury({ store, clock, random, key }: RetentionOptions, chain: ChainRecord, last: number, days: number) {
  const owner = ownerOf(chain);
  await store.transaction(async (transaction) => {
    const writer = await openChain(transaction, owner, { clock, random });
    const { firstSequence } = writer.chain;
    if (last < firstSequence) return;
    const hash = await hashAt(transaction.db, writer.chain, last);
    const at = new Date(clock.now()).toISOString();
    writer.add({
      object: 'tombstone',
      id: random.uuid(),
      from: firstSequence,
      to: last,
      reason: `Rows are kept for ${days} days.`,
      checkpoint: signCheckpoint({ chain: chain.chain, size: last, hash, at }, key),
    });
    await writer.write();
    const segments = await signedSegments(transaction.db, chain.id);
    const trees = segments.map(({ month, first, last: end }) => ({ ...placeOf(chain, month, first), last: end }));
    await trimTrees(transaction.db, trees, last);
    await transaction.db
      .updateTable('auditChains')
      .set({ firstSequence: last + 1 })
      .where('id', '=', chain.id)
      .execute();
  });
}

const buriedTables = ['auditOutcomes', 'auditRecords', 'auditValues', 'auditRows'] as const;

async function removeBuried(store: Store, chainId: number): Promise<void> {
  for (const table of buriedTables) while (await removeSome(store, table, chainId));
}

/** Some at a time, so that others can write meanwhile; false when there are none. */
function removeSome(store: Store, table: (typeof buriedTables)[number], chainId: number): Promise<boolean> {
  return store.transaction(async ({ db }) => {
    const { firstSequence } = await db
      .selectFrom('auditChains')
      .select('firstSequence')
      .where('id', '=', chainId)
      .executeTakeFirstOrThrow();
    const from = (await oldestIn(db, table, chainId)) ?? firstSequence;
    if (from >= firstSequence) return false;
    const end = Math.min(firstSequence, from + rowsPerStep);
    const buried = db.deleteFrom(table).where('chainId', '=', chainId).where('sequence', '<', end);
    // Without the lower end, PostgreSQL expects a third of the table, and reads all of it.
    await buried.where('sequence', '>=', from).execute();
    return true;
  });
}

async function oldestIn(db: Store['db'], table: (typeof buriedTables)[number], chainId: number) {
  const oldest = await db
    .selectFrom(table)
    .select('sequence')
    .where('chainId', '=', chainId)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return oldest?.sequence;
}

/** Remove the months before the first row of every log. On PostgreSQL this drops their partitions, with what is left in them. */
async function removeMonths(store: Store): Promise<void> {
  const { db } = store;
  const first = await db
    .selectFrom('auditChains')
    .leftJoin('auditRows', (join) =>
      join
        .onRef('auditRows.chainId', '=', 'auditChains.id')
        .onRef('auditRows.sequence', '=', 'auditChains.firstSequence'),
    )
    .select(({ fn }) => fn.min('auditRows.month').as('month'))
    .executeTakeFirst();
  const month = first?.month;
  if (month === undefined || month === null) return;
  const empty = await db.selectFrom('auditMonths').select('month').where('month', '<', month).execute();
  if (empty.length === 0) return;
  await store.transaction(async (transaction) => {
    await transaction.db.deleteFrom('auditMonths').where('month', '<', month).execute();
  });
}

const longestStepMs = 2 * dayMs;

/**
 * The time that the age of rows is measured by; `undefined` before the first checkpoint of a chain is a day old. A clock that
 * is wrong by years would make every row old. So the platform believes its clock once it has signed by it for a day. Until then
 * the time goes at most two days beyond the newest checkpoint that is a day old.
 */
async function believedTime(db: Store['db'], { id }: ChainRecord, now: number): Promise<number | undefined> {
  const signed = await db
    .selectFrom('auditCheckpoints')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('chainId', '=', id)
    .where('at', '<=', now - dayMs)
    .executeTakeFirst();
  const at = signed?.at ?? undefined;
  return at === undefined ? undefined : Math.min(now, at + longestStepMs);
}

interface KeepOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signer: AuditSigner;
  readonly retention: Retention;
}

const signMs = 10_000;
const removeMs = 60 * 60_000;

/**
 * Sign what has grown, keep the segments of the logs, and remove what is kept no longer. One process of the platform does it at a time.
 * Returns how to stop, with a last signature.
 */
export function keepAuditLog({ store, clock, random, logger, signer, retention }: KeepOptions): () => Promise<void> {
  const { checkpoints, key } = signer;
  const stopping = new AbortController();
  const { signal } = stopping;
  const segments = createSegmentKeeper({ store, clock, random, logger, key, signal });
  /** Does one piece of work after the other. */
  const createQueue = () => {
    let work: Promise<unknown> = Promise.resolve();
    return (name: string, run: () => Promise<void>) => {
      work = work
        .then(() => store.exclusively(name, run))
        .catch((error: unknown) => logger.log('Warn', 'The audit log could not be kept.', { error, work: name }));
      return work;
    };
  };
  const [signing, keeping] = [createQueue(), createQueue()];
  const sign = () => signing('audit checkpoints', () => checkpoints.signDue());
  const settle = () => keeping('audit segments', () => segments.settleAll());
  const remove = () =>
    keeping('audit retention', () => removeExpired({ store, clock, random, key, retention, signal }));
  const timers = [
    setInterval(() => void sign(), signMs).unref(),
    setInterval(() => void settle(), signMs).unref(),
    setInterval(() => void remove(), removeMs).unref(),
  ];
  void keeping('audit register', () => adoptChains(store, { clock, random }));
  void settle();
  void remove();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    stopping.abort();
    await keeping('audit segments', () => Promise.resolve());
    await signing('audit checkpoints', () => checkpoints.signAll());
  };
}
