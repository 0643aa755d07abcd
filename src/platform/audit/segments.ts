import type { KeyObject } from 'node:crypto';
import { consistencyRanges } from '#contracts/audit/merkle-tree';
import { monthBounds, monthName, monthNumber, readSegment, type Segment } from '#contracts/audit/segment';
import { signSegment } from '#contracts/audit/signing';
import type { Segments } from '#contracts/public-api/segments';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import { hashAt } from './export-chain.ts';
import { appendToRegister, openRegister } from './register.ts';
import { brokenLog, grownSize, growTree, SegmentTree, type TreePlace } from './segment-tree.ts';

export interface SegmentParts {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly key: KeyObject;
  /** Ends the work at its next step. */
  readonly signal?: AbortSignal | undefined;
}

type Db = Store['db'];

/** Where a segment stands in its log, before it is signed. */
type OpenSegment = Pick<Segment, 'month' | 'first' | 'last' | 'before'>;

/** Clocks of several processes differ by less: no row of a month comes later than that after its end. */
const slackMs = 60 * 60_000;

/**
 * Sign the months of a log that are over, and keep the nodes of the tree of the month that goes on. The work is done in small steps. When
 * it is interrupted, or another process does the same, nothing is lost or wrong.
 */
export async function settleSegments(parts: SegmentParts, chain: ChainRecord): Promise<void> {
  const { store, clock, signal } = parts;
  for (;;) {
    const open = await openSegment(store.db, chain);
    if (!open) return;
    await growTree(store, placeOf(chain, open.month, open.first), open.last + 1 - open.first, signal);
    if (signal?.aborted) return;
    const isOver = open.last < chain.headSequence || clock.now() >= monthBounds(open.month).end + slackMs;
    if (!isOver) return;
    const note = await signOpen(parts, chain, open);
    await store.transaction(async ({ db }) => {
      await db
        .insertInto('auditSegments')
        .values({ chainId: chain.id, month: monthNumber(open.month), note })
        .onConflict((same) => same.columns(['chainId', 'month']).doUpdateSet({ note }))
        .execute();
    });
  }
}

/** The same; false for a log that lacks rows. What is left of it is signed and exported all the same, and verification says what is missing. */
export async function settleWhole(parts: SegmentParts, chain: ChainRecord): Promise<boolean> {
  return (await unlessBroken(settleSegments(parts, chain))) !== 'broken';
}

async function unlessBroken<Result>(work: Promise<Result>): Promise<Result | 'broken'> {
  try {
    return await work;
  } catch (error) {
    if (isCloudError(error) && error.code === 'AUDIT_LOG_BROKEN') return 'broken';
    throw error;
  }
}

/** The rows of a log behind its newest signed segment, up to the end of their month; `undefined` where there are none. */
async function openSegment(db: Db, chain: ChainRecord): Promise<OpenSegment | undefined> {
  const signed = (await signedSegments(db, chain.id)).at(-1);
  const next = Math.max(signed?.last ?? 0, chain.firstSequence - 1) + 1;
  if (next > chain.headSequence) return undefined;
  const { month: number } = await rowAt(db, chain, next);
  const month = monthName(number);
  const last = number === chain.headMonth ? chain.headSequence : await lastOf(db, chain, month);
  if (last < next) throw brokenLog(`Row ${next} of the audit log is not of the month that it is found by.`);
  // A clock that was wrong had the month signed before it was over.
  if (signed?.month === month && signed.last === next - 1)
    return { month, first: signed.first, last, before: signed.before };
  const isFirst = next === chain.firstSequence;
  const before = isFirst ? await hashAt(db, chain, next - 1) : (await rowAt(db, chain, next - 1)).hash;
  return { month, first: next, last, before };
}

async function rowAt(db: Db, chain: ChainRecord, sequence: number) {
  const row = await db
    .selectFrom('auditRows')
    .select(['month', 'hash'])
    .where('chainId', '=', chain.id)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  if (row) return row;
  throw brokenLog(`Row ${sequence} of the audit log is missing.`);
}

async function lastOf(db: Db, chain: ChainRecord, month: string): Promise<number> {
  const { sequence } = await db
    .selectFrom('auditRows')
    .select('sequence')
    .where('chainId', '=', chain.id)
    .where('createdAt', '<', monthBounds(month).end)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return Math.min(sequence, chain.headSequence);
}

async function signOpen({ store: { db }, clock, key }: SegmentParts, chain: ChainRecord, open: OpenSegment) {
  const { month, first, last } = open;
  const size = last + 1 - first;
  const root = await new SegmentTree(db, placeOf(chain, month, first)).rootOf([0, size]);
  const [{ hash: end }, at] = [await rowAt(db, chain, last), new Date(clock.now()).toISOString()];
  return signSegment({ ...open, chain: chain.chain, size, root, end, at }, key);
}

/** What is signed, the oldest first. */
export async function signedNotes(db: Db, chainId: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('auditSegments')
    .select('note')
    .where('chainId', '=', chainId)
    .orderBy('month')
    .execute();
  return rows.map(({ note }) => note);
}

export async function signedSegments(db: Db, chainId: number): Promise<readonly Segment[]> {
  return (await signedNotes(db, chainId)).flatMap((note) => readSegment(note) ?? []);
}

/** More rows than that without nodes are left to the work in the background. */
const rowsPerRequest = 20_000;

/**
 * The note of the segment of a month: as it was signed, or signed now where the month goes on. `undefined` for a month without rows.
 * Throws `AUDIT_SEGMENT_NOT_READY` while the segments of an older store are made.
 */
export async function noteOfMonth(parts: SegmentParts, chain: ChainRecord, month: string): Promise<string | undefined> {
  const { db } = parts.store;
  const signed = (await signedNotes(db, chain.id)).find((note) => readSegment(note)?.month === month);
  const open = await openSegment(db, chain);
  if (open?.month !== month) {
    if (signed === undefined && open && open.month < month && month <= monthName(chain.headMonth))
      throw notReady(month);
    return signed;
  }
  const place = placeOf(chain, month, open.first);
  const size = open.last + 1 - open.first;
  if (size - (await grownSize(db, place)) > rowsPerRequest) throw notReady(month);
  await growTree(parts.store, place, size);
  return signOpen(parts, chain, open);
}

/** The segments of a log, the oldest first, also of months whose rows were removed; at the end the one that goes on. */
export async function listSegments(db: Db, chain: ChainRecord): Promise<Segments['segments']> {
  const cosigned = await db
    .selectFrom('auditCosignatures')
    .select(['month', 'note'])
    .where('chainId', '=', chain.id)
    .orderBy('cosigner')
    .execute();
  const listed = (segment: Pick<Segment, 'month' | 'first' | 'last'>, note: string | null) => ({
    month: segment.month,
    first: segment.first,
    last: segment.last,
    size: segment.last + 1 - segment.first,
    note,
    isKept: segment.first >= chain.firstSequence,
    cosigned: cosigned.filter(({ month }) => month === monthNumber(segment.month)).map((row) => row.note),
  });
  const signed = (await signedNotes(db, chain.id)).flatMap((note) => {
    const segment = readSegment(note);
    return segment ? [listed(segment, note)] : [];
  });
  const open = await openSegment(db, chain);
  if (!open) return signed;
  return [...signed.filter(({ month }) => month !== open.month), listed(open, null)];
}

/** What proves that a segment began with its first `from` rows (RFC 6962 §2.1.2). Throws `REQUEST_INVALID` where it has fewer. */
export async function continuation(
  db: Db,
  chain: ChainRecord,
  { month, first, size }: Segment,
  from: number,
): Promise<readonly string[]> {
  if (from > size) {
    throw cloudError(
      'REQUEST_INVALID',
      `The segment ${month} has ${size} rows, fewer than ${from}.`,
      'Ask for a proof of a size that was signed.',
    );
  }
  const tree = new SegmentTree(db, placeOf(chain, month, first));
  const hashes: string[] = [];
  const ranges = from === 0 ? [] : consistencyRanges(from, [0, size]);
  for (const range of ranges) hashes.push(await tree.rootOf(range));
  return hashes;
}

function notReady(month: string) {
  return cloudError('AUDIT_SEGMENT_NOT_READY', `The segment of ${month} is being made.`, 'Ask again in a minute.');
}

export function placeOf(chain: Pick<ChainRecord, 'id'>, month: string, first: number): TreePlace {
  return { chainId: chain.id, month: monthNumber(month), first };
}

export interface SegmentKeeper {
  /** Settle the segments of every log that has grown, or whose month is over. */
  settleAll(): Promise<void>;
}

export function createSegmentKeeper({
  logger,
  ...parts
}: SegmentParts & { readonly random: Random; readonly logger: Logger }): SegmentKeeper {
  const { store, clock } = parts;
  /** By log: how long it was, and in which month, when it was settled last. */
  const settled = new Map<number, string>();
  return {
    settleAll: async () => {
      for (const chain of await store.db.selectFrom('auditChains').selectAll().execute()) {
        const state = `${chain.headSequence} ${new Date(clock.now() - slackMs).toISOString().slice(0, 7)}`;
        if (settled.get(chain.id) === state) continue;
        const isWhole = await settleWhole(parts, chain);
        if (parts.signal?.aborted) return;
        if (isWhole && !settled.has(chain.id)) await register(parts, chain);
        settled.set(chain.id, state);
        if (!isWhole)
          logger.log('Warn', 'A log lacks rows, so that its segments cannot be signed.', { log: chain.chain });
      }
    },
  };
}

/**
 * Say in the register from which row on a log has segments, once those of its past are signed: from then on, they must be there. The
 * register says so of a log that this version made; here come those of older stores.
 */
async function register({ store, ...parts }: SegmentParts & { readonly random: Random }, chain: ChainRecord) {
  if (await isRegistered(store.db, chain)) return;
  const from = (await signedSegments(store.db, chain.id))[0]?.first ?? chain.firstSequence;
  await store.transaction(async (transaction) => {
    const head = await openRegister(transaction, parts);
    if (await isRegistered(transaction.db, chain)) return;
    const entry = { object: 'segments', id: parts.random.uuid(), logChain: chain.chain, from } as const;
    await appendToRegister(transaction, head, [entry], parts);
  });
}

async function isRegistered(db: Db, { chain }: ChainRecord): Promise<boolean> {
  const row = await db
    .selectFrom('auditRegister')
    .select('sequence')
    .where('body', 'like', `%"logChain":"${chain}","object":"segments"%`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Sign the months of a log that are over, before its head is signed. A checkpoint of a row says that the months before that row are signed,
 * once the register says that the log has segments.
 */
export async function settleBefore(parts: SegmentParts, chain: ChainRecord): Promise<void> {
  const open = await unlessBroken(openSegment(parts.store.db, chain));
  const isBehind = open !== undefined && open !== 'broken' && monthNumber(open.month) < chain.headMonth;
  if (isBehind && (await isRegistered(parts.store.db, chain))) await settleWhole(parts, chain);
}
