import type { Kysely } from 'kysely';
import * as z from 'zod';
import {
  type GivenAnswer,
  type GivenOutcome,
  type KeptRead,
  keptReadSchema,
  type ListedMark,
  type MarkRead,
  type McpMark,
  type McpSession,
  maxMarkReads,
} from '#contracts/mcp-marks';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import { type AdminLog, type Author, auditUserOf } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { listAsks } from './asks.ts';
import { findMark, type StoredMark, type WhichMarks } from './find-mark.ts';

/** The marks of an environment's MCP sessions: `#contracts/mcp-marks`. */
export interface MarkRepository {
  find(environmentId: number, session: McpSession): Promise<McpMark | null>;
  /** Count what a marked session is given, and mark one that is given text of outsiders. What is beyond its bounds changes nothing. */
  give(environmentId: number, answer: GivenAnswer): Promise<GivenOutcome>;
  /** The newest first. */
  list(which: WhichMarks): Promise<readonly ListedMark[]>;
  /** Whether there was such a mark. */
  clear(id: number, which: WhichMarks, author: Author): Promise<boolean>;
}

export function createMarkRepository(store: Store, clock: Clock, adminLog: AdminLog): MarkRepository {
  return {
    find: async (environmentId, session) => {
      const row = await findMark(store.db, environmentId, session);
      return row ? markOf(row) : null;
    },
    give: (environmentId, answer) =>
      store.transaction(async (transaction) => {
        const { personId, client } = answer;
        await transaction.lock(`MCP mark ${environmentId} ${personId} ${client}`);
        return give(transaction, environmentId, answer, clock.now());
      }),
    list: async (which) => {
      const rows = await marksOf(store.db, which)
        .innerJoin('environments', 'environments.id', 'mcpMarks.environmentId')
        .select('environments.name as environment')
        .orderBy('markedAt', 'desc')
        .execute();
      const names = await clientNames(store.db, which.environmentId, rows);
      const now = clock.now();
      return Promise.all(
        rows.map(async ({ environment, ...row }) => ({
          ...markOf(row),
          id: row.id,
          environment,
          client: row.client,
          clientName: names.get(row.client) ?? null,
          personId: row.personId,
          records: row.records,
          asks: [...(await listAsks(store.db, row.id, now))],
        })),
      );
    },
    clear: (id, which, author) =>
      store.transaction(async (transaction) => {
        const { db } = transaction;
        const row = await marksOf(db, which).where('mcpMarks.id', '=', id).executeTakeFirst();
        if (!row) return false;
        await db.deleteFrom('mcpAsks').where('markId', '=', id).execute();
        await db.deleteFrom('mcpMarks').where('id', '=', id).execute();
        await logCleared(transaction, adminLog, row, author);
        announceEvent(transaction, which.environmentId, { name: 'refresh-sessions' });
        return true;
      }),
  };
}

/** The sessions of an environment that are marked. */
export function listMarkedSessions({ db }: Store, environmentId: number): Promise<McpSession[]> {
  return db
    .selectFrom('mcpMarks')
    .select(['personId', 'client'])
    .where('environmentId', '=', environmentId)
    .orderBy('id')
    .execute();
}

async function give(
  transaction: StoreTransaction,
  environmentId: number,
  { personId, client, records, reads, readCount, bounds }: GivenAnswer,
  now: number,
): Promise<GivenOutcome> {
  const { db } = transaction;
  const row = await findMark(db, environmentId, { personId, client });
  if (!row) {
    if (readCount === 0) return { isMarked: false, isBeyond: false };
    const first = JSON.stringify(mergedReads([], reads, now));
    const mark = { environmentId, personId, client, markedAt: now, reads: first, readCount, records: 0 };
    await db.insertInto('mcpMarks').values(mark).execute();
    announceEvent(transaction, environmentId, { name: 'refresh-sessions' });
    return { isMarked: true, isBeyond: false };
  }
  const given = row.records + records;
  const isBeyond =
    bounds !== undefined && records > 0 && (isAbove(records, bounds.perCall) || isAbove(given, bounds.sinceMark));
  if (isBeyond) return { isMarked: true, isBeyond };
  await db
    .updateTable('mcpMarks')
    .set({
      reads: JSON.stringify(mergedReads(readsOf(row), reads, now)),
      readCount: row.readCount + readCount,
      // What the person has agreed to is not part of what may be given without them.
      records: bounds ? given : row.records,
    })
    .where('id', '=', row.id)
    .execute();
  return { isMarked: true, isBeyond };
}

function isAbove(records: number, bound: number | null): boolean {
  return bound !== null && records > bound;
}

/** The first reads of each place; what was read again is as well known. */
function mergedReads(known: readonly KeptRead[], more: readonly MarkRead[], now: number): readonly KeptRead[] {
  const readAt = new Date(now).toISOString();
  const all = new Map(known.map((read) => [placeOf(read), read]));
  for (const read of more) if (!all.has(placeOf(read))) all.set(placeOf(read), { ...read, readAt });
  return [...all.values()].slice(0, maxMarkReads);
}

function placeOf({ collection, recordId, field }: MarkRead): string {
  return JSON.stringify([collection, recordId, field]);
}

function readsOf({ reads }: Pick<StoredMark, 'reads'>): KeptRead[] {
  return z.array(keptReadSchema).parse(JSON.parse(reads));
}

function markOf(row: Pick<StoredMark, 'markedAt' | 'reads' | 'readCount'>): McpMark {
  return { markedAt: new Date(row.markedAt).toISOString(), reads: readsOf(row), readCount: row.readCount };
}

function marksOf(db: Kysely<Tables>, { environmentId, personId }: WhichMarks) {
  const marks = db.selectFrom('mcpMarks').selectAll('mcpMarks').where('mcpMarks.environmentId', '=', environmentId);
  return personId === undefined ? marks : marks.where('mcpMarks.personId', '=', personId);
}

const registeredSchema = z.object({ client_name: z.string().nullish() });

/** What clients call themselves, as far as they registered or have a document that is kept. */
async function clientNames(
  db: Kysely<Tables>,
  environmentId: number,
  rows: readonly Pick<StoredMark, 'client'>[],
): Promise<ReadonlyMap<string, string>> {
  const byDigest = new Map(rows.map(({ client }) => [sha256Hex(client), client]));
  if (byDigest.size === 0) return new Map();
  const clients = await db
    .selectFrom('mcpState')
    .select(['id', 'payload'])
    .where((the) => the.and({ environmentId, kind: 'Client' }))
    .where('id', 'in', [...byDigest.keys()])
    .execute();
  return new Map(
    clients.flatMap(({ id, payload }) => {
      const { client_name: name } = registeredSchema.parse(JSON.parse(payload));
      const client = byDigest.get(id);
      return name && client !== undefined ? [[client, name] as const] : [];
    }),
  );
}

/** The person may be one that an agent serves without a sign-in; then there is no more than the id. */
async function logCleared(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  { environmentId, personId, client, markedAt, readCount }: StoredMark,
  author: Author,
): Promise<void> {
  const { db } = transaction;
  const environment = await db
    .selectFrom('environments')
    .select(['name', 'projectId'])
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow();
  const person = await db
    .selectFrom('users')
    .select(['id', 'firstName', 'lastName', 'email'])
    .where('id', '=', personId)
    .executeTakeFirst();
  adminLog(transaction, {
    projectId: environment.projectId,
    author,
    type: 'remove',
    resource: 'mcp-mark',
    environment: environment.name,
    previousValue: {
      user: auditUserOf(person ?? { id: personId, firstName: '', lastName: '', email: '' }),
      client,
      markedAt: new Date(markedAt).toISOString(),
      readCount,
    },
  });
}
