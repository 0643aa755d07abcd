import type { Caller } from '#contracts/identity';
import type { PlatformClient } from '#platform-client/platform-client';
import type { Project } from '#project/index';
import { type PreparedVersion, prepareVersion } from '../build/prepare-version.ts';
import type { FlowContext } from '../flow-context.ts';
import { type Live, readLive } from './live-deployment.ts';

export interface PreparedBesideLive {
  /** Address of the platform. */
  readonly server: string;
  readonly client: PlatformClient;
  readonly me: Caller;
  readonly live: Live;
  readonly prepared: PreparedVersion;
}

/**
 * Build a project while the platform is asked what is live and who asks. The first line names the project, the
 * environment and the person, whatever comes first.
 *
 * @param environment Name of the environment; that of the token by default.
 * @param doing what is done to the project, as that line says it.
 */
export async function prepareBesideLive(
  context: FlowContext,
  project: Project,
  { environment: wanted, doing }: { readonly environment: string | undefined; readonly doing: string },
): Promise<PreparedBesideLive> {
  const building = prepareVersion(context, project);
  // It is awaited below; until then, its failure must not count as unnoticed.
  building.catch(() => undefined);
  // esbuild builds in a process of its own. Meanwhile this one loads what talks to the platform.
  const { connectToPlatform } = await import('../platform-access/connect-to-platform.ts');
  const { url: server, client } = await connectToPlatform(context, project, wanted);
  const [me, live] = await Promise.all([client.me(), readLive(client)]);
  const { user, project: name, environment } = me;
  context.reporter.info(`${doing} ${name} to ${environment} at ${server} as ${user.name} <${user.email}>`);
  return { server, client, me, live, prepared: await context.reporter.step('Building', () => building) };
}
