import { pipeline, Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { exportFormats } from '#contracts/public-api/activity-logs';
import { whenClosed } from '#kernel/async/when-closed';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { type ChainOwner, type ChainRecord, findChain, lockChain } from '../audit/audit-chains.ts';
import type { AuditSigner } from '../audit/audit-signer.ts';
import { exportAsLines } from '../audit/export-chain.ts';
import type { LogFilter } from '../audit/log-filter.ts';
import type { Cursors } from '../public-api/cursor.ts';
import { filtersOf } from '../public-api/list-page.ts';
import type { ApiCall } from '../public-api/public-api.ts';
import type { Store } from '../store/store.ts';
import { exportFiltered } from './export-filtered.ts';
import { exportForms } from './export-forms.ts';

export interface ExportParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly cursors: Cursors;
  /** `undefined` on a platform without a key. */
  readonly signer: AuditSigner | undefined;
  /** How many exports each caller has open. */
  readonly open: Map<string, number>;
}

interface ExportQuery {
  readonly after?: string | undefined;
  readonly format: (typeof exportFormats)[number];
  readonly max: number;
  readonly follow: number;
}

interface ExportCall {
  readonly query: ExportQuery;
  readonly call: ApiCall;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** An export ends by itself after that, so that it sees whether its token is still good. */
const longestMs = 5 * 60_000;
const maxAtOnce = 2;
const rowsPerUnit = 5_000;
const pollMs = 250;

/** Rows of a log as a stream, oldest first. It goes on from the cursor of its last line after a cut. */
export async function exportLogs(
  parts: ExportParts,
  owner: ChainOwner,
  filter: LogFilter,
  { query, call, request, reply }: ExportCall,
): Promise<FastifyReply> {
  const isPlain = query.format === 'ndjson' && filtersOf(request) === '{}';
  if (isPlain) refuseFirstVerifier(request);
  const { open } = parts;
  const { subject } = call.caller;
  const atOnce = open.get(subject) ?? 0;
  if (atOnce >= maxAtOnce) throw tooMany();
  open.set(subject, atOnce + 1);
  const aborted = new AbortController();
  whenClosed(reply.raw, () => {
    aborted.abort();
    const left = (open.get(subject) ?? 1) - 1;
    if (left === 0) open.delete(subject);
    else open.set(subject, left);
  });
  const filters = filtersOf(request);
  const chain = (await awaitRows(parts, owner, query, filters, aborted.signal)) ?? (await beginChain(parts, owner));
  const form = exportForms[query.format];
  reply.type(form.mediaType);
  const after = placeOf(parts, chain, query.after, filters);
  const cursorAt = (sequence: number) =>
    parts.cursors.write({ list: chain.chain, order: 'asc', direction: 'asc', position: sequence, filters });
  const isOver = endsOf(parts.clock, call);
  const input = { chain, after, maxRows: query.max, signer: parts.signer, cursorAt };
  const slices = isPlain
    ? exportAsLines(parts.store.db, { ...input, isOver })
    : exportFiltered(parts.store.db, { ...input, filter, filters, form, isOver });
  const body = Readable.from(slices, { objectMode: false, highWaterMark: 1 });
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(body);
  reply.header('content-encoding', 'gzip');
  // A failure destroys the stream, so that the client sees a cut.
  return reply.send(pipeline(body, createGzip({ level: 1 }), () => undefined));
}

/**
 * Version 0.1.0 takes every row of version 2 for one that was changed. It asks for exports to verify as JSON, which they are not, and
 * never to follow a log.
 */
function refuseFirstVerifier({ headers, query }: FastifyRequest): void {
  if (headers.accept !== 'application/json' || 'follow' in (query as object)) return;
  throw cloudError(
    'AUDIT_EXPORT_NEWER',
    'Nothing is wrong with the log: its exports are of format 2, and vendor-cloud 0.1.0 verifies format 1 only.',
    'Update vendor-cloud. Another program asks with "Accept: application/x-ndjson".',
  );
}

/** An export of a log without rows has a beginning and an end as well. */
function beginChain({ store, clock, random }: ExportParts, owner: ChainOwner): Promise<ChainRecord> {
  return store.transaction((transaction) => lockChain(transaction, owner, random, clock.now()));
}

/** The chain, once it has a row behind the cursor, or after `follow` seconds. */
async function awaitRows(
  { store, clock, cursors }: ExportParts,
  owner: ChainOwner,
  { after, follow }: ExportQuery,
  filters: string,
  signal: AbortSignal,
): Promise<ChainRecord | undefined> {
  const end = clock.monotonicMs() + follow * 1_000;
  for (;;) {
    const chain = await findChain(store.db, owner);
    const place = chain && after !== undefined ? cursors.read(after, { list: chain.chain, filters }).position : 0;
    const hasRows = chain !== undefined && chain.headSequence > place;
    if (hasRows || clock.monotonicMs() >= end || signal.aborted) return chain;
    await wait(pollMs);
  }
}

function placeOf({ cursors }: ExportParts, chain: ChainRecord, after: string | undefined, filters: string): number {
  if (after === undefined) return 0;
  const { position } = cursors.read(after, { list: chain.chain, filters });
  requireKept(cursors, chain, position, filters);
  return position;
}

/** Throws `CURSOR_PRUNED` for a place whose next rows were removed. */
export function requireKept(cursors: Cursors, chain: ChainRecord, position: number, filters: string): void {
  const before = chain.firstSequence - 1;
  if (position === 0 || position >= before) return;
  const oldestCursor = cursors.write({
    list: chain.chain,
    order: 'asc',
    direction: 'asc',
    position: before,
    filters,
  });
  throw cloudError(
    'CURSOR_PRUNED',
    'The rows behind this cursor were removed, because their retention was over.',
    'Go on from "oldestCursor".',
    { safeDetails: { oldestCursor } },
  );
}

/** Whether an export has to end: it has taken long, used up its quota, or may not be read any more. */
function endsOf(clock: Clock, call: ApiCall): (rows: number) => Promise<boolean> {
  const end = clock.monotonicMs() + longestMs;
  let charged = 1;
  return async (rows) => {
    if (clock.monotonicMs() >= end || !(await call.isStillAllowed())) return true;
    const units = Math.ceil((rows + 1) / rowsPerUnit);
    if (units <= charged) return false;
    charged = units;
    return !(await call.charge(1));
  };
}

function tooMany(): CloudError {
  return cloudError(
    'REQUEST_RATE_LIMITED',
    `A token has at most ${maxAtOnce} exports at once.`,
    'Wait until another export has ended.',
    { safeDetails: { retryAfterSeconds: 1, violatedPolicies: ['exports'] } },
  );
}
