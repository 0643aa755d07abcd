import type * as z from 'zod';
import { expandedActivityLogSchema, pageOf } from '#contracts/public-api/activity-logs';
import { expandedAdminLogSchema } from '#contracts/public-api/admin-logs';
import { type Caller, callerSchema } from '#contracts/public-api/caller';
import { type Integrity, integritySchema } from '#contracts/public-api/integrity';
import { createPlatformTransport, type PlatformClientOptions } from './platform-transport.ts';

const activityPageSchema = pageOf(expandedActivityLogSchema);
const adminPageSchema = pageOf(expandedAdminLogSchema);

export type ActivityPage = z.output<typeof activityPageSchema>;
export type AdminPage = z.output<typeof adminPageSchema>;
export type LogParameters = Readonly<Record<string, string | number | undefined>>;

/** Which log: that of an environment, or the changes of the configuration of the project. */
export interface LogAddress {
  readonly project: string;
  /** `undefined` for the changes of the configuration. */
  readonly environment: string | undefined;
}

/** The audit log of a project, as its public API gives it. Takes an API token as well as that of a person. */
export interface AuditClient {
  caller(): Promise<Caller>;
  integrity(project: string): Promise<Integrity>;
  activityLogs(log: LogAddress, parameters: LogParameters): Promise<ActivityPage>;
  adminLogs(log: LogAddress, parameters: LogParameters): Promise<AdminPage>;
  /** A part of an export, as text. */
  exportPart(log: LogAddress, parameters: LogParameters, options?: ExportOptions): Promise<string>;
}

interface ExportOptions {
  readonly signal?: AbortSignal;
  /** Default 120 000. */
  readonly deadlineMs?: number;
}

const exportDeadlineMs = 120_000;

export function createAuditClient(options: PlatformClientOptions): AuditClient {
  const transport = createPlatformTransport(options);
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    caller: () => transport.fetchJson({ ...get, path: 'v1/caller' }, callerSchema),
    integrity: (project) =>
      transport.fetchJson({ ...get, path: `v1/project/${encodeURIComponent(project)}/integrity` }, integritySchema),
    activityLogs: (log, parameters) =>
      transport.fetchJson({ ...get, path: `${pathOf(log)}${queryOf(parameters)}` }, activityPageSchema),
    adminLogs: (log, parameters) =>
      transport.fetchJson({ ...get, path: `${pathOf(log)}${queryOf(parameters)}` }, adminPageSchema),
    exportPart: async (log, parameters, { signal, deadlineMs = exportDeadlineMs } = {}) => {
      const path = `${pathOf(log)}/export${queryOf(parameters)}`;
      const answer = await transport.send({ ...get, path, signal, deadlineMs });
      return new TextDecoder().decode(answer.body);
    },
  };
}

function pathOf({ project, environment }: LogAddress): string {
  const start = `v1/project/${encodeURIComponent(project)}`;
  return environment === undefined
    ? `${start}/admin-logs`
    : `${start}/environment/${encodeURIComponent(environment)}/activity-logs`;
}

function queryOf(parameters: LogParameters): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}
