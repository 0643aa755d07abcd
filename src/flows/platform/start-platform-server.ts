import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import { loggedValue } from '#kernel/errors/logged-value';
import type { Logger } from '#kernel/ports/logger';
import type { WantedPort } from '#kernel/ports/tcp';
import type { Certificate, ObservedRequest, Platform, RatePolicy, Retention } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { untilAborted } from '../lifetime.ts';
import { readPlatformKey } from '../local-platform/platform-key.ts';
import { checkDeployment } from '../serve/check-deployment.ts';
import { type ServeInput, serve } from '../serve/serve.ts';
import type { ServeEvent } from '../serve/serve-event.ts';
import { type AgentAddress, createReachedAgents, type ReachedAgents } from './reached-agents.ts';
import { readCompanySignOn } from './read-company-sign-on.ts';
import { readMailServer } from './read-mail-server.ts';
import type { StorePlace } from './store-place.ts';

/** The events of a platform, for the person or the script that started it. */
export type PlatformServerEvent =
  /** `publicUrl` is the address that people and agents use. `store` is without its password. */
  | { readonly event: 'listening'; readonly url: string; readonly publicUrl: string; readonly store: string }
  /** There are no people yet. The link makes the first administrator, once. */
  | { readonly event: 'setup'; readonly url: string; readonly expiresAt: string }
  /** One line of the access log. */
  | ({ readonly event: 'request'; readonly at: string } & ObservedRequest)
  /** Something went wrong inside. */
  | {
      readonly event: 'log';
      readonly at: string;
      readonly level: 'Warn' | 'Error';
      readonly message: string;
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** An event of the environment host that runs in the same process. */
  | { readonly event: 'host'; readonly host: ServeEvent }
  | { readonly event: 'stopping' }
  | { readonly event: 'stopped' };

export interface PlatformServerInput {
  readonly store: StorePlace;
  /** Address and port to bind. */
  readonly listen: { readonly host: string; readonly port: WantedPort };
  /** The address that people and agents use. Default: the address that it listens on. */
  readonly publicUrl: string | undefined;
  /** An environment to host in this process as well. */
  readonly host: Omit<ServeInput, 'serverUrl' | 'drainMs' | 'signal' | 'tell'> | undefined;
  /** Paths of PEM files. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** Where the platform reaches agents itself, for the console. */
  readonly agentAddresses: readonly AgentAddress[];
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[];
  /** What callers of the public API may ask for; `undefined`: the usual policies. */
  readonly ratePolicies: readonly RatePolicy[] | undefined;
  /** Where checkpoints of the audit log are added, beside the store; `undefined`: in the folder of a SQLite store. */
  readonly checkpointFile: string | undefined;
  readonly retention: Retention;
  /** Address of the archive that rows must be in, verified, before they are removed. */
  readonly archive: string | undefined;
  readonly hasAccessLog: boolean;
  readonly noticeMs: number;
  readonly drainMs: number;
  readonly signal: AbortSignal;
  tell(event: PlatformServerEvent): void;
}

/** Serve the platform of a team until `signal` aborts, then let requests in flight end. */
export async function startPlatformServer(context: FlowContext, input: PlatformServerInput): Promise<void> {
  const { store, listen, publicUrl, tell } = input;
  const metricsToken = context.variables['SERVICE_METRICS_TOKEN'];
  const companySignOn = readCompanySignOn(context);
  const mailServer = readMailServer(context);
  const tls = input.tls && (await readCertificate(context, input.tls));
  const agents = createReachedAgents(input.agentAddresses, input.host?.envSecret);
  const { createArchivedTo, openArchive, startPlatform } = await import('#platform/index');
  const archive = input.archive === undefined ? undefined : await openArchive(input.archive, context);
  const platformKey = await platformKeyOf(context, store);
  const logger = platformLogger(context, tell);
  const platform = await startPlatform({
    store: store.address,
    host: listen.host,
    port: listen.port,
    clock: context.clock,
    random: context.random,
    ...{ logger, platformKey },
    ...checkpointFileOf(context, input),
    retention: archive
      ? { ...input.retention, archivedTo: createArchivedTo(archive, platformKey, logger) }
      : input.retention,
    checkDeployment: (...deployment) => checkDeployment(context, store.folder ?? context.workingFolder, ...deployment),
    examine: async () =>
      (await import('../doctor/team-platform-checks.ts')).examineTeamPlatform(context, {
        agents: input.agentAddresses,
        mailServer,
      }),
    ...(companySignOn ? { companySignOn } : {}),
    ...(mailServer ? { mailServer } : {}),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(input.ratePolicies ? { ratePolicies: input.ratePolicies } : {}),
    reachAgent: agents.addressOf,
    team: {
      trustedProxies: input.trustedProxies,
      noticeMs: input.noticeMs,
      drainMs: input.drainMs,
      tellRequest: (request) => {
        if (input.hasAccessLog) tell({ event: 'request', at: timeOf(context), ...request });
      },
      ...(tls ? { tls } : {}),
      ...(metricsToken ? { metricsToken } : {}),
    },
  });
  agents.lookIn(platform);
  try {
    const origin = publicUrl === undefined ? platform.url : new URL(publicUrl).origin;
    tell({ event: 'listening', url: platform.url, publicUrl: origin, store: store.name });
    await tellSetup(platform, origin, tell);
    await Promise.all([
      untilAborted(input.signal),
      input.host && hostEnvironment(context, input, platform.url, input.host, agents),
    ]);
    tell({ event: 'stopping' });
  } finally {
    await platform.stop();
  }
  tell({ event: 'stopped' });
}

/** Processes that share a database have no folder in common. */
function checkpointFileOf(context: FlowContext, { checkpointFile, store }: PlatformServerInput) {
  if (checkpointFile !== undefined) return { checkpointFile: path.resolve(context.workingFolder, checkpointFile) };
  return store.folder === undefined ? {} : { checkpointFile: path.join(store.folder, 'platform.checkpoints') };
}

/** Host an environment in this process. The host ends before the platform stops. */
function hostEnvironment(
  context: FlowContext,
  { drainMs, signal, tell }: PlatformServerInput,
  serverUrl: string,
  host: NonNullable<PlatformServerInput['host']>,
  agents: ReachedAgents,
): Promise<void> {
  return serve(context, {
    ...host,
    serverUrl,
    drainMs,
    signal,
    tell: (event) => {
      if (event.event === 'serving') agents.hostedAt(event.url);
      tell({ event: 'host', host: event });
    },
  });
}

async function tellSetup(platform: Platform, origin: string, tell: PlatformServerInput['tell']): Promise<void> {
  const link = await platform.makeSetupLink();
  if (!link) return;
  tell({ event: 'setup', url: `${origin}/setup#${link.secret}`, expiresAt: new Date(link.expiresAt).toISOString() });
}

/** The key of a store in a file is a file beside it. Processes that share a database get the key from the environment. */
async function platformKeyOf(context: FlowContext, { folder }: StorePlace): Promise<string> {
  if (folder !== undefined && !(await context.fs.exists(folder))) await context.fs.makePrivateFolder(folder);
  if (folder !== undefined || context.variables['SERVICE_PLATFORM_KEY'] !== undefined) {
    return readPlatformKey(context, folder ?? context.workingFolder);
  }
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    'A store on a database server needs SERVICE_PLATFORM_KEY, which must not be kept in that store.',
    'Make one once, "openssl rand -hex 32", keep it safe, and give every process of the platform the same.',
  );
}

async function readCertificate(
  { fs }: FlowContext,
  { certFile, keyFile }: NonNullable<PlatformServerInput['tls']>,
): Promise<Certificate> {
  const read = async (file: string) => {
    const text = await fs.readText(file);
    if (text !== null) return text;
    throw cloudError('MACHINE_FILE_NOT_READABLE', `There is no file ${file}.`, 'Correct --tls-cert and --tls-key.');
  };
  return { cert: await read(certFile), key: await read(keyFile) };
}

/** Tells what went wrong, in requests and in the background. */
export function platformLogger(context: Pick<FlowContext, 'clock'>, tell: PlatformServerInput['tell']): Logger {
  return {
    log(level, message, given = {}) {
      if (level !== 'Error' && level !== 'Warn') return;
      const logged = Object.entries(given).map(([name, value]) => [name, loggedValue(value, { hasStacks: false })]);
      const fields = Object.fromEntries(logged) as Readonly<Record<string, unknown>>;
      tell({ event: 'log', at: timeOf(context), level, message, fields });
    },
  };
}

function timeOf({ clock }: Pick<FlowContext, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}
