import { randomFillSync } from 'node:crypto';
import { commitmentOf, type RowParts, withheld } from '#contracts/audit/disclosures';
import {
  type ActivityEntry,
  type AuditEntry,
  type AuditUser,
  coreActions,
  coreResources,
  type RowPlace,
} from '#contracts/audit/rows';
import type { Tables } from '../store/tables.ts';
import { personalPlaces } from './personal-places.ts';

/** A row as it is kept: what is hashed, and the personal values with their salts. */
export function partsOf(entry: AuditEntry, place: RowPlace): RowParts {
  if (entry.object === 'activityLog') return partsOfAct(entry, place);
  return withheld({ ...entry, ...place }, personalPlaces(entry), newSalt);
}

/**
 * The parts of an act, which nearly all rows are. Every member stands here in the order of canonical JSON, so that nothing has to be
 * sorted: that takes a third of the time.
 */
function partsOfAct(act: ActivityEntry, place: RowPlace): RowParts {
  const { email, id, object, username } = act.user;
  const user = JSON.stringify({ email, id, object, username } satisfies Whole<AuditUser>);
  const salt = newSalt();
  const { client, rendering } = act;
  const body = JSON.stringify({
    action: act.action,
    approval: act.approval,
    chain: place.chain,
    client: client && { id: client.id, name: client.name, object: client.object },
    codeVersion: act.codeVersion,
    collection: act.collection && named(act.collection),
    committed: { user: commitmentOf('user', salt, user) },
    consent: act.consent,
    correlationId: act.correlationId,
    createdAt: place.createdAt,
    durationMs: act.durationMs,
    environment: named(act.environment),
    fields: act.fields,
    id: act.id,
    label: act.label,
    object: act.object,
    occurredAt: act.occurredAt,
    recordCount: act.recordCount,
    recordIds: act.recordIds,
    recordedAt: place.recordedAt,
    rendering: rendering && { id: rendering.id, name: rendering.name },
    role: act.role,
    sequence: place.sequence,
    source: act.source,
    status: act.status,
    team: named(act.team),
    tokenId: act.tokenId,
    tool: act.tool,
    type: act.type,
    undoes: act.undoes,
    version: place.version,
  } satisfies Whole<Omit<ActivityEntry, 'user'> & RowPlace> & { committed: object });
  return { body, disclosed: `{"user":["${salt}",${user}]}` };
}

/** With every member, so that none is forgotten. */
type Whole<Type> = Readonly<Record<keyof Type, unknown>>;

function named({ name, object }: Readonly<Record<'name' | 'object', string>>) {
  return { name, object };
}

const saltBytes = 16;
/** One call for random bytes takes as long as the hash of a row, so one serves many rows. */
const pool = Buffer.alloc(512 * saltBytes);
let used = pool.length;

function newSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += saltBytes;
  return pool.toString('base64url', used - saltBytes, used);
}

type Columns = Omit<
  Tables['auditRows'],
  'chainId' | 'sequence' | 'month' | 'createdAt' | 'body' | 'disclosed' | 'version' | 'hash'
>;

/** An entry whose personal values may have been erased. */
export type ReadEntry =
  | AuditEntry
  | (Omit<Extract<AuditEntry, { object: 'activityLog' }>, 'user'> & { readonly user?: undefined });

/** The columns that a row is found by. The row and what stands beside it say the same. */
export function columnsOf(entry: ReadEntry): Columns {
  const columns = { ...empty, id: entry.id };
  switch (entry.object) {
    case 'activityLog':
      return {
        ...columns,
        kind: isOneOf(coreActions, entry.action) ? 'act' : 'further',
        type: entry.type,
        action: entry.action,
        userId: entry.user?.id ?? null,
        userEmail: entry.user ? comparableEmail(entry.user.email) : null,
        team: entry.team.name,
        collection: entry.collection?.name ?? null,
        status: entry.status,
        correlationId: entry.correlationId ?? null,
        clientId: entry.client?.id ?? null,
        clientName: entry.client && entry.client.name !== entry.client.id ? entry.client.name : null,
        tool: entry.tool ?? null,
        codeVersion: entry.codeVersion ?? null,
      };
    case 'adminLog':
      return {
        ...columns,
        kind: isOneOf(coreResources, entry.resource) ? 'admin' : 'further',
        type: entry.type,
        action: entry.resource,
        initiator: entry.initiator,
        userId: entry.user?.id ?? null,
        userEmail: entry.user ? comparableEmail(entry.user.email) : null,
      };
    case 'activityLogRecords':
      return { ...columns, kind: 'records', part: entry.part };
    case 'activityLogOutcome':
      return { ...columns, kind: 'status', part: -1 };
    // Both say what was taken out of the log. Older stores allow no other kind.
    case 'tombstone':
    case 'erasure':
      return { ...columns, kind: 'tombstone' };
  }
}

const empty = {
  kind: 'act',
  part: 0,
  type: null,
  action: null,
  initiator: null,
  userId: null,
  userEmail: null,
  team: null,
  collection: null,
  status: null,
  correlationId: null,
  clientId: null,
  clientName: null,
  tool: null,
  codeVersion: null,
} as const;

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** Domains are the same in any case; what stands before `@` is not. */
export function comparableEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + email.slice(at).toLowerCase();
}
