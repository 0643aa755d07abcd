import { type AuditClient, createAuditClient, type LogAddress } from '#platform-client/audit-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { environmentOfCaller, tokenForPlatform } from '../platform-access/connect-to-platform.ts';

export interface LogInput {
  readonly folder: string;
  /** Name of the environment; that of the link or of the token by default. */
  readonly environment?: string | undefined;
  /** The changes of the configuration of the project, in place of what people did in an environment. */
  readonly isAdmin: boolean;
}

export interface LogAccess {
  readonly client: AuditClient;
  readonly log: LogAddress;
  /** Address of the platform. */
  readonly url: string;
}

/** The audit log of a project, on the platform that its commands talk to. */
export async function connectToLog(context: FlowContext, input: LogInput): Promise<LogAccess> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url, userToken } = await tokenForPlatform(context, project);
  const client = createAuditClient({ serverUrl: url, http: context.http, credentials: { userToken } });
  const caller = await client.caller();
  if (input.isAdmin) return { client, url, log: { project: caller.project, environment: undefined } };
  const environment = environmentOfCaller(caller, project, input.environment);
  return { client, url, log: { project: caller.project, environment } };
}

/** The public keys of the platform, with which everybody verifies exports of its log. */
export async function publicKeys(context: FlowContext, folder: string): Promise<{ readonly keys: readonly string[] }> {
  const { client, log } = await connectToLog(context, { folder, isAdmin: true });
  const { keys } = await client.integrity(log.project);
  return { keys };
}
