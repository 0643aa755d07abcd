import type { ActivityPage, AdminPage } from '#platform-client/audit-client';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogInput } from './connect-to-audit-log.ts';

export interface SearchInput extends LogInput {
  readonly limit: number;
  readonly collection?: string | undefined;
  readonly record?: string | undefined;
  readonly user?: string | undefined;
  readonly team?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly correlation?: string | undefined;
  /** Id or name of the program. */
  readonly client?: string | undefined;
  readonly tool?: string | undefined;
  /** Number of the version of the code. */
  readonly version?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export type FoundLogs =
  | { readonly kind: 'activity'; readonly logs: ActivityPage['data']; readonly hasMore: boolean }
  | { readonly kind: 'admin'; readonly logs: AdminPage['data']; readonly hasMore: boolean };

/** What people did, or how the project was changed: the newest logs that fulfil all conditions. */
export async function searchLog(context: FlowContext, input: SearchInput): Promise<FoundLogs> {
  const { client: platform, log } = await connectToLog(context, input);
  const common = {
    limit: input.limit,
    userEmail: input.user,
    type: input.type,
    include: 'all',
    'createdAt.gte': timeOf(input.since),
    'createdAt.lt': timeOf(input.until),
  };
  if (input.isAdmin) {
    const { data, hasMore } = await platform.adminLogs(log, { ...common, resource: input.resource, expand: 'source' });
    return { kind: 'admin', logs: data, hasMore };
  }
  const { data, hasMore } = await platform.activityLogs(log, {
    ...common,
    collectionName: input.collection,
    recordId: input.record,
    teamName: input.team,
    action: input.action,
    status: input.status,
    correlationId: input.correlation,
    client: input.client,
    tool: input.tool,
    codeVersion: input.version,
    expand: 'status,source,changes',
  });
  return { kind: 'activity', logs: data, hasMore };
}

function timeOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
