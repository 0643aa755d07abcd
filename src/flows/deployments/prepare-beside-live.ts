import type { Caller } from '#contracts/identity';
import type { DeployingClient } from '#platform-client/deploying-client';
import type { PlatformClient } from '#platform-client/platform-client';
import type { Project } from '#project/index';
import { type PreparedVersion, prepareVersion, recallVersion } from '../build/prepare-version.ts';
import type { FlowContext } from '../flow-context.ts';
import { isServed, type Live, readLive } from './live-deployment.ts';

/** What an environment serves, and who asks. */
interface LiveAt<Client> {
  /** Address of the platform. */
  readonly server: string;
  readonly client: Client;
  readonly me: Caller;
  readonly live: Live;
}

export interface PreparedBesideLive<Client = DeployingClient> extends LiveAt<Client> {
  readonly prepared: PreparedVersion;
}

interface Target {
  /** Name of the environment; that of the token by default. */
  readonly environment: string | undefined;
  /** What is done to the project, as the first line says it. */
  readonly doing: string;
  /** Called where a build begins, for what can get ready beside it. */
  readonly whileBuilding?: () => void;
}

/** Build a project while the platform is asked what is live and who asks. */
export async function prepareBesideLive(
  context: FlowContext,
  project: Project,
  target: Target,
): Promise<PreparedBesideLive<PlatformClient>> {
  const building = prepareVersion(context, project);
  // It is awaited below; until then, its failure must not count as unnoticed.
  building.catch(() => undefined);
  const asked = await askWhatIsLive(context, project, target, (access) => access.connectToPlatform);
  return { ...asked, prepared: await context.reporter.step('Building', () => building) };
}

/** A version that may have been built already. */
interface KnownBesideLive extends LiveAt<DeployingClient> {
  readonly known: Pick<PreparedVersion, 'contentDigest' | 'packages'>;
  /** Build it, where that was not done yet. */
  prepare(): Promise<PreparedVersion>;
}

/**
 * The same without a build where nothing has changed since the last one and the environment serves that. A push that says so costs
 * what its questions cost.
 */
export async function recallBesideLive(
  context: FlowContext,
  project: Project,
  target: Target,
): Promise<KnownBesideLive> {
  const build = () => {
    const building = prepareVersion(context, project, { isRemembered: true });
    target.whileBuilding?.();
    return building;
  };
  const recalled = await recallVersion(context, project);
  const building = recalled ? undefined : build();
  building?.catch(() => undefined);
  const asked = await askWhatIsLive(context, project, target, (access) => access.connectToDeploy);
  if (recalled && isServed(asked.live, recalled.contentDigest)) recalled.tellDoubts();
  const prepared = building && (await context.reporter.step('Building', () => building));
  const prepare = async () => prepared ?? context.reporter.step('Building', build);
  return { ...asked, known: recalled ?? (await prepare()), prepare };
}

type Connect<Client> = (
  context: FlowContext,
  project: Project,
  environment: string | undefined,
) => Promise<{ readonly url: string; readonly client: Client }>;

/** The first line names the project, the environment and the person, whatever comes first. */
async function askWhatIsLive<Client extends DeployingClient>(
  context: FlowContext,
  project: Project,
  { environment: wanted, doing }: Target,
  connectOf: (access: typeof import('../platform-access/connect-to-platform.ts')) => Connect<Client>,
): Promise<LiveAt<Client>> {
  // esbuild builds in a process of its own. Meanwhile this one loads what talks to the platform.
  const connect = connectOf(await import('../platform-access/connect-to-platform.ts'));
  const { url: server, client } = await connect(context, project, wanted);
  const [me, live] = await Promise.all([client.me(), readLive(client)]);
  const { user, project: name, environment } = me;
  context.reporter.info(`${doing} ${name} to ${environment} at ${server} as ${user.name} <${user.email}>`);
  return { server, client, me, live };
}
