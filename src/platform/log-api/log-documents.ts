import type * as z from 'zod';
import type { AdminValues } from '#contracts/audit/admin-values';
import type { ActivityEntry, AdminEntry, RowPlace } from '#contracts/audit/rows';
import type {
  activityLogExpansions,
  activityLogSchema,
  expandedActivityLogSchema,
} from '#contracts/public-api/activity-logs';
import type { adminLogExpansions, adminLogSchema, expandedAdminLogSchema } from '#contracts/public-api/admin-logs';
import type { LogRow } from '../audit/read-log.ts';

export type ActivityLog = z.output<typeof activityLogSchema> | z.output<typeof expandedActivityLogSchema>;
export type AdminLog = z.output<typeof adminLogSchema> | z.output<typeof expandedAdminLogSchema>;

type Expansions<Names extends readonly string[]> = readonly Names[number][] | undefined;

/** A row as the public API shows it: closed, except for what the client asks for. */
export function activityLog(
  { entry, status, hash }: LogRow,
  expand: Expansions<typeof activityLogExpansions> = [],
  recordIds?: readonly string[],
): ActivityLog {
  const row = entry as ActivityEntry & RowPlace;
  const { object, id, type, action, createdAt, label, collection, user, environment, team } = row;
  return {
    object,
    id,
    type,
    action,
    createdAt,
    ...(label === undefined ? {} : { label }),
    recordIds: [...(recordIds ?? row.recordIds)],
    ...(collection === undefined ? {} : { collection }),
    user,
    environment,
    team,
    ...(expand.includes('status') ? { status: status ?? row.status, durationMs: row.durationMs } : {}),
    ...(expand.includes('source') ? sourceOf(row) : {}),
    ...(expand.includes('changes') ? { fields: [...(row.fields ?? [])], recordCount: row.recordCount } : {}),
    ...(expand.includes('integrity') ? { sequence: row.sequence, hash } : {}),
  };
}

function sourceOf({
  source,
  consent,
  approval,
  undoes,
  codeVersion,
  role,
  rendering,
  correlationId,
  occurredAt,
  recordedAt,
  tokenId,
  client,
  tool,
}: ActivityEntry & RowPlace) {
  return {
    source,
    ...(consent === undefined ? {} : { consent }),
    ...(approval === undefined ? {} : { approval }),
    ...(undoes === undefined ? {} : { undoes }),
    codeVersion: codeVersion ?? null,
    role,
    rendering: rendering ?? null,
    correlationId: correlationId ?? null,
    occurredAt,
    recordedAt,
    tokenId: tokenId ?? null,
    client: client ?? null,
    tool: tool ?? null,
  };
}

/** A row with the values that every client knows. The row that is kept stays as it is, because of its hash. */
function withPublicValues(row: AdminEntry & RowPlace) {
  if (row.resource === 'user-project') return { ...row, ...shown(row, memberValue) };
  if (row.resource === 'environment') return { ...row, ...shown(row, environmentValue) };
  return row;
}

interface Values<Value> {
  readonly previousValue?: Value | undefined;
  readonly newValue?: Value | undefined;
}

function shown<Kept, Shown>({ previousValue, newValue }: Values<Kept>, show: (value: Kept) => Shown): Values<Shown> {
  return { previousValue: previousValue && show(previousValue), newValue: newValue && show(newValue) };
}

function memberValue({ role, teams, ...value }: AdminValues['user-project']) {
  const named =
    (object: 'role' | 'team') =>
    ({ name }: { readonly name: string }) => ({ object, name });
  return { ...value, role: named('role')(role), teams: teams.map(named('team')) };
}

function environmentValue({ name, codeCustomizationVersion }: AdminValues['environment']) {
  return { name, codeCustomizationVersion: Number(codeCustomizationVersion ?? 0) };
}

export function adminLog({ entry, hash }: LogRow, expand: Expansions<typeof adminLogExpansions> = []): AdminLog {
  const row = entry as AdminEntry & RowPlace;
  const { object, id, type, resource, initiator, createdAt, user, previousValue, newValue } = withPublicValues(row);
  return {
    object,
    id,
    type,
    resource,
    initiator,
    createdAt,
    ...(user === undefined ? {} : { user }),
    ...(previousValue === undefined ? {} : { previousValue }),
    ...(newValue === undefined ? {} : { newValue }),
    ...(expand.includes('source')
      ? { address: row.address ?? null, environment: row.environment ?? null, recordedAt: row.recordedAt }
      : {}),
    ...(expand.includes('integrity') ? { sequence: row.sequence, hash } : {}),
  };
}
