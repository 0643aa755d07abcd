import { type AuditEntry, coreActions, coreResources, type RowPlace } from '#contracts/audit/rows';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Tables } from '../store/tables.ts';

type Columns = Omit<Tables['auditRows'], 'chainId' | 'sequence' | 'month' | 'createdAt' | 'hash'>;

/** The columns that a row is found by. Its body says the same. */
export function columnsOf(entry: AuditEntry, place: RowPlace): Columns {
  const columns = { ...empty, id: entry.id, body: canonicalJson({ ...entry, ...place }) };
  switch (entry.object) {
    case 'activityLog':
      return {
        ...columns,
        kind: isOneOf(coreActions, entry.action) ? 'act' : 'further',
        type: entry.type,
        action: entry.action,
        userId: entry.user.id,
        userEmail: comparableEmail(entry.user.email),
        team: entry.team.name,
        collection: entry.collection?.name ?? null,
        status: entry.status,
        correlationId: entry.correlationId ?? null,
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
    case 'tombstone':
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
} as const;

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

/** Domains are the same in any case; what stands before `@` is not. */
export function comparableEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + email.slice(at).toLowerCase();
}
