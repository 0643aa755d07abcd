import type * as z from 'zod';
import type { activityLogExportQuery, activityLogsQuery } from '#contracts/public-api/activity-logs';
import type { adminLogExportQuery, adminLogsQuery } from '#contracts/public-api/admin-logs';
import type { LogFilter, TimeRange } from '../audit/log-filter.ts';

type ActivityQuery = z.output<typeof activityLogsQuery> | z.output<typeof activityLogExportQuery>;
type AdminQuery = z.output<typeof adminLogsQuery> | z.output<typeof adminLogExportQuery>;

export function activityFilter(query: ActivityQuery): LogFilter {
  const {
    userEmail,
    userId,
    teamName,
    collectionName,
    recordId,
    type,
    action,
    status,
    correlationId,
    client,
    tool,
    codeVersion,
    include,
  } = query;
  return {
    userEmail,
    userId,
    team: teamName,
    collection: collectionName,
    recordId,
    type,
    action,
    status,
    correlationId,
    client,
    tool,
    codeVersion,
    createdAt: rangeOf(query, 'createdAt'),
    isCoreOnly: include === 'core',
  };
}

export function adminFilter(query: AdminQuery): LogFilter {
  const { userEmail, userId, type, initiator, resource, include } = query;
  return {
    userEmail,
    userId,
    type,
    initiator,
    action: resource,
    createdAt: rangeOf(query, 'createdAt'),
    isCoreOnly: include === 'core',
  };
}

export function rangeOf(query: object, name: string): TimeRange | undefined {
  const bounds = (['eq', 'lt', 'lte', 'gt', 'gte'] as const).flatMap((bound) => {
    const time: unknown = Reflect.get(query, `${name}.${bound}`);
    return typeof time === 'number' ? [[bound, time] as const] : [];
  });
  return bounds.length === 0 ? undefined : Object.fromEntries(bounds);
}

/** The parameters that every client knows. A further one would break a client that was generated from the first description. */
const echoedNames = new Set([
  ...['limit', 'userEmail', 'userId', 'teamName', 'collectionName', 'recordId', 'type', 'action'],
  ...['initiator', 'resource'],
]);

/** What a list is about, as its address names it. */
export interface ListPlace {
  readonly projectName: string;
  readonly environmentName?: string;
}

/** The place and the parameters as they were understood: times in UTC, with milliseconds. */
export function echoed(place: ListPlace, query: Readonly<Record<string, unknown>>): Record<string, string | number> {
  const entries = Object.entries(query).flatMap(([name, value]) => {
    if (/^(?:created|updated|archived)At\./.test(name) && typeof value === 'number') {
      return [[name, new Date(value).toISOString()] as const];
    }
    return echoedNames.has(name) && (typeof value === 'string' || typeof value === 'number')
      ? [[name, value] as const]
      : [];
  });
  return { ...place, ...Object.fromEntries(entries) };
}
