import { hash } from 'node:crypto';
import { readSegment } from '#contracts/audit/segment';
import { createRecordHistories } from '#platform/activity/kept-records';
import { type ChainRecord, findChain } from '#platform/audit/audit-chains';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import type { LogFilter } from '#platform/audit/log-filter';
import { proveAct } from '#platform/audit/prove-act';
import { readLog } from '#platform/audit/read-log';
import { listSegments, noteOfMonth, type SegmentParts } from '#platform/audit/segments';
import { readRow } from '#platform/log-api/log-routes';
import { openStore, type StoreAddress } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { sealedValues } from '../../../helpers/sealed-values.ts';
import { platformKey } from './audited-platform.ts';

const logs = [
  { project: 'shop', environment: 'development' },
  { project: 'shop', environment: 'production' },
  { project: 'shop', environment: undefined },
  { project: 'bank', environment: 'development' },
  { project: 'bank', environment: undefined },
];

const actions = ['update', 'index', 'delete', 'role', 'team', 'user-project', 'environment'];
const filters: readonly LogFilter[] = [
  {},
  { isCoreOnly: true },
  ...[1, 2, 3].map((userId) => ({ userId })),
  ...[1, 2, 3].map((id) => ({ userEmail: `user${id}@example.test` })),
  ...['Operations', 'Support'].map((team) => ({ team })),
  ...['orders', 'customers'].map((collection) => ({ collection })),
  ...actions.map((action) => ({ action })),
  ...(['read', 'write', 'add', 'update', 'remove', 'initial'] as const).map((type) => ({ type })),
  ...(['administrator', 'platform', 'identityProvider'] as const).map((initiator) => ({ initiator })),
  ...(['pending', 'completed', 'failed'] as const).map((status) => ({ status })),
  ...['nightly', 'Claude', '7', '8'].map((client) => ({ client })),
  ...['list', 'update'].map((tool) => ({ tool })),
  ...Array.from({ length: 60 }, (_, seed) => ({ correlationId: `c${seed}` })),
  ...['shared', ...Array.from({ length: 60 }, (_, seed) => [`${seed}`, `late ${seed}`]).flat()].flatMap((recordId) => [
    { recordId },
    { recordId, collection: 'orders' },
  ]),
];

/** The digest of everything that the log API could answer from a store. */
export async function answersOf(address: StoreAddress): Promise<string> {
  const store = await openStore(address);
  try {
    const answers: unknown[] = [];
    for (const log of logs) answers.push(await orFailure(answersOfLog(store, log)));
    return hash('sha256', JSON.stringify(answers));
  } finally {
    await store.close();
  }
}

async function answersOfLog(store: Store, { project, environment }: (typeof logs)[number]): Promise<unknown> {
  const { db } = store;
  const { id: projectId } = await db
    .selectFrom('projects')
    .select('id')
    .where('name', '=', project)
    .executeTakeFirstOrThrow();
  const found =
    environment === undefined
      ? undefined
      : await db
          .selectFrom('environments')
          .select('id')
          .where((the) => the.and({ projectId, name: environment }))
          .executeTakeFirstOrThrow();
  const chain = await findChain(
    db,
    found ? { kind: 'activity', environmentId: found.id } : { kind: 'admin', projectId },
  );
  if (!chain) return null;
  const histories = await historiesOf(store, found?.id);
  const pages: unknown[] = [];
  for (const filter of filters) {
    pages.push(await orFailure(readLog(db, chain, filter, { limit: 100, order: 'desc' })));
  }
  const whole = await readLog(db, chain, {}, { limit: 100, order: 'asc' });
  const single: unknown[] = [];
  for (const { entry } of whole.rows) {
    const time = Date.parse(entry.createdAt);
    single.push(await orFailure(readRow(db, chain, entry.id)));
    single.push(await orFailure(readLog(db, chain, { createdAt: { lt: time } }, { limit: 2, order: 'desc' })));
    single.push(await orFailure(readLog(db, chain, { createdAt: { gte: time } }, { limit: 2, order: 'asc' })));
  }
  const key = deriveCheckpointKey(platformKey);
  // Far from now, so that the newest checkpoint is the one of the store.
  const clock = { now: () => Date.now() + 1e12, monotonicMs: () => 0 };
  const checkpoints = createCheckpoints({ store, clock, key, keep: async () => undefined });
  const input = { chain, after: 0, maxRows: 1e6, signer: { key, checkpoints }, cursorAt: String };
  const lines = await orFailure(linesOf(exportAsLines(db, input)));
  const parts = { store, clock, key };
  const segments = await orFailure(segmentsOf(parts, chain));
  const proofs: unknown[] = [];
  for (const { entry } of whole.rows) proofs.push(await orFailure(proofOf(parts, chain, entry.id)));
  const { kind, firstSequence, headSequence } = chain;
  return { chain: chain.chain, kind, firstSequence, headSequence, pages, single, lines, segments, proofs, histories };
}

/** What agents learn about the values of records. */
function historiesOf({ db }: Store, environmentId: number | undefined): Promise<unknown> {
  const records = createRecordHistories(db, sealedValues);
  return Promise.all(
    (environmentId === undefined ? [] : ['orders', 'customers']).map((collection) =>
      orFailure(records.of(environmentId ?? 0, { collection, recordId: 'shared', limit: 100 })),
    ),
  );
}

/** What is signed of each month. When it was signed, and by which signature, does not matter. */
async function segmentsOf(parts: SegmentParts, chain: ChainRecord) {
  const listed = await listSegments(parts.store.db, chain);
  const notes = await Promise.all(listed.map(({ month }) => noteOfMonth(parts, chain, month)));
  return listed.map(({ month, first, last, isKept }, index) => [month, first, last, isKept, statedBy(notes[index])]);
}

async function proofOf(parts: SegmentParts, chain: ChainRecord, id: string) {
  const proof = await proveAct(parts, chain, id);
  const further = proof?.further?.map(({ note, ...row }) => ({ ...row, note: note && statedBy(note) }));
  return proof && { ...proof, note: statedBy(proof.note), further };
}

function statedBy(note = '') {
  const { at, ...stated } = readSegment(note) ?? { at: '' };
  return stated;
}

/** What the platform answers with an error is an answer as well. */
async function orFailure<Value>(work: Promise<Value>): Promise<Value | string> {
  try {
    return await work;
  } catch (error) {
    return `failed: ${error instanceof Error ? error.name : typeof error}`;
  }
}

async function linesOf(texts: AsyncIterable<string>): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const text of texts) lines.push(...text.split('\n'));
  return lines;
}
