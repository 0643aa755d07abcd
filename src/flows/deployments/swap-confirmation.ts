import type { Deployment } from '#contracts/deployments';
import type { Caller } from '#contracts/identity';
import type { Version, VersionChanges } from '#contracts/versions';
import type { DeployingClient } from '#platform-client/deploying-client';
import type { FlowContext } from '../flow-context.ts';

/** What an environment serves, and what it is to serve instead. Both were built before. */
export interface Swap {
  readonly environment: string;
  readonly current: { readonly deployment: Deployment | null; readonly version: Version | null };
  readonly target: {
    /** The earlier deployment that is served again, with its variables; `null` for a version with the newest variables. */
    readonly deployment: Deployment | null;
    readonly version: Version | null;
  };
  /** What changes with it; `null` where nothing serves yet, and where the platform is too old to say it. */
  readonly changes: VersionChanges | null;
}

/** What changes where one version serves in place of another one. */
export async function changesOfSwap(
  client: Pick<DeployingClient, 'versionChanges'>,
  current: Version | null,
  target: Version | null,
): Promise<VersionChanges | null> {
  if (!current || !target) return null;
  return (await client.versionChanges(target.number, current.number)) ?? null;
}

/** Shows a swap and asks whether to go on. */
export type ConfirmSwap = (swap: Swap) => Promise<boolean>;

export interface Swapped {
  readonly environment: string;
  /** What is live now; `null` when the swap was not wanted. */
  readonly deployment: Deployment | null;
}

/** The first line of what changes an environment: which one, where, and which person makes it. */
export function sayWhere(
  { reporter }: Pick<FlowContext, 'reporter'>,
  { user, project, environment }: Caller,
  server: string,
  doing: string,
): void {
  reporter.info(`${doing} ${project} in ${environment} at ${server} as ${user.name} <${user.email}>`);
}
