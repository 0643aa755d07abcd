import type * as z from 'zod';
import { type RowProof, rowProofSchema } from '#contracts/audit/row-proof';
import { expandedActivityLogSchema, pageOf } from '#contracts/public-api/activity-logs';
import { expandedAdminLogSchema } from '#contracts/public-api/admin-logs';
import { type Caller, callerSchema } from '#contracts/public-api/caller';
import { type Integrity, integritySchema } from '#contracts/public-api/integrity';
import {
  type KeptCosignature,
  keptCosignatureSchema,
  type RegisterPage,
  registerPageSchema,
  type Segments,
  type SegmentWithProof,
  segmentSchema,
  segmentsSchema,
} from '#contracts/public-api/segments';
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
  activityLog(log: LogAddress, id: string, parameters: LogParameters): Promise<ActivityPage['data'][number]>;
  adminLogs(log: LogAddress, parameters: LogParameters): Promise<AdminPage>;
  /** A part of an export, as text. */
  exportPart(log: LogAddress, parameters: LogParameters, options?: ExportOptions): Promise<string>;
  proof(log: LogAddress, id: string): Promise<RowProof>;
  /** @param chain Id of the log. */
  segments(project: string, chain: string): Promise<Segments>;
  /** @param from A proof that the segment began with this many rows. */
  segment(project: string, chain: string, month: string, from?: number): Promise<SegmentWithProof>;
  /** Some rows of a segment behind `after`, as text; the first line says which segment it is. */
  segmentRows(log: LogAddress, month: string, after?: number): Promise<string>;
  /** The register of the logs as hashes. @param after Go on behind this row. */
  register(project: string, after: number): Promise<RegisterPage>;
  /** @param cosigner The public key that has signed the note. */
  addCosignature(project: string, note: string, cosigner: string): Promise<KeptCosignature>;
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
    activityLog: (log, id, parameters) =>
      transport.fetchJson(
        { ...get, path: `${pathOf(log)}/${encodeURIComponent(id)}${queryOf(parameters)}` },
        expandedActivityLogSchema,
      ),
    adminLogs: (log, parameters) =>
      transport.fetchJson({ ...get, path: `${pathOf(log)}${queryOf(parameters)}` }, adminPageSchema),
    exportPart: async (log, parameters, { signal, deadlineMs = exportDeadlineMs } = {}) => {
      const path = `${pathOf(log)}/export${queryOf(parameters)}`;
      const headers = { accept: 'application/x-ndjson, */*;q=0.9' };
      const answer = await transport.send({ ...get, path, headers, signal, deadlineMs });
      return new TextDecoder().decode(answer.body);
    },
    proof: (log, id) =>
      transport.fetchJson({ ...get, path: `${pathOf(log)}/${encodeURIComponent(id)}/proof` }, rowProofSchema),
    segments: (project, chain) => transport.fetchJson({ ...get, path: segmentsPath(project, chain) }, segmentsSchema),
    segment: (project, chain, month, from) =>
      transport.fetchJson(
        { ...get, path: `${segmentsPath(project, chain)}/${month}${queryOf({ from })}` },
        segmentSchema,
      ),
    segmentRows: async (log, month, after) => {
      const path = `${pathOf(log)}/segments/${encodeURIComponent(month)}${queryOf({ after })}`;
      return new TextDecoder().decode((await transport.send({ ...get, path, deadlineMs: exportDeadlineMs })).body);
    },
    register: (project, after) =>
      transport.fetchJson(
        { ...get, path: `v1/project/${encodeURIComponent(project)}/integrity/register${queryOf({ after })}` },
        registerPageSchema,
      ),
    addCosignature: (project, note, cosigner) =>
      transport.fetchJson(
        {
          ...{ method: 'POST', credential: 'userToken', isRepeatable: true, json: { note, cosigner } },
          path: `v1/project/${encodeURIComponent(project)}/integrity/cosignatures`,
        },
        keptCosignatureSchema,
      ),
  };
}

function segmentsPath(project: string, chain: string): string {
  return `v1/project/${encodeURIComponent(project)}/integrity/segments/${encodeURIComponent(chain)}`;
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
