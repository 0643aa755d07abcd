import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Check, CheckList } from '#contracts/checks';
import { isOfThisMachine } from '#contracts/rest-settings';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { packageRoot } from '#node/system/package-files';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { AgentTokens } from '../agent-access/agent-tokens.ts';
import {
  agentAddressOf,
  type EnvironmentRecord,
  type IdentityRepository,
  type ReachAgent,
  type WebhookOriginsOf,
} from '../identity/identity-repository.ts';
import type { FindPageSession } from '../page-access/page-session.ts';
import { pageSessions, type SignedInBrowsers } from '../provider/browser-session.ts';
import type { SentWebhookOrigins } from '../schemas/known-collections.ts';
import type { TeamOptions } from '../server/team-options.ts';
import { type CallableServers, registerConsoleFiles } from './console-files.ts';
import { type ConsoleEventServices, type DevEvents, registerConsoleEvents } from './event-routes.ts';
import { registerConsoleSession } from './session-routes.ts';

interface ConsoleServices extends Omit<ConsoleEventServices, 'devEvents'> {
  readonly browsers: SignedInBrowsers;
  readonly agentTokens: AgentTokens;
  readonly sentWebhookOrigins: SentWebhookOrigins;
}

interface ConsoleOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly consoleFolder?: string;
  readonly devEvents?: DevEvents;
  readonly examine?: () => Promise<readonly Check[]>;
  readonly reachAgent?: ReachAgent;
  readonly webhookOriginsOf?: WebhookOriginsOf;
  /** Absent on the platform of one developer. */
  readonly team?: TeamOptions;
}

/** The application that people open: its files, its session and its events. */
export function registerConsole(
  server: FastifyInstance,
  guards: Guards,
  { browsers, agentTokens, sentWebhookOrigins, ...services }: ConsoleServices,
  options: ConsoleOptions,
): void {
  const { random, consoleFolder = path.join(packageRoot, 'dist/console'), devEvents } = options;
  const findPageSession = pageSessions(browsers);
  const callable = callableServers({ ...options, identity: services.identity, findPageSession, sentWebhookOrigins });
  registerConsoleFiles(server, consoleFolder, callable);
  registerConsoleSession(server, { ...browsers, random, agentTokens });
  registerConsoleEvents(server, guards, { ...services, devEvents });
  registerChecks(server, guards, options);
}

/** What `vendor-cloud doctor` says, for a page. Those who ask while somebody looks wait for the same answer. */
function registerChecks(server: FastifyInstance, guards: Guards, { examine, clock }: ConsoleOptions): void {
  let looking: Promise<CheckList> | undefined;
  const look = async (): Promise<CheckList> => ({
    checks: [...((await examine?.()) ?? [])],
    lookedAt: new Date(clock.now()).toISOString(),
  });
  server.get('/api/checks', { onRequest: guards.user.check }, async (request): Promise<CheckList> => {
    authorise(guards.user.of(request), 'read logs');
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  });
}

interface CallableParts extends Pick<ConsoleOptions, 'reachAgent' | 'webhookOriginsOf' | 'team'> {
  readonly identity: Pick<IdentityRepository, 'listProjects' | 'listEnvironments'>;
  readonly findPageSession: FindPageSession;
  readonly sentWebhookOrigins: SentWebhookOrigins;
}

/**
 * What the page of somebody may call beside the platform, of all their environments: the agents that the platform does not reach, and the
 * origins that agents list for webhooks. A page of nobody may call nothing; the sign-in loads it again.
 */
function callableServers(parts: CallableParts): CallableServers {
  const { identity, findPageSession } = parts;
  return async (request, reply) => {
    const session = await findPageSession(request, reply);
    if (!session) return [];
    const { userId, projectId } = session;
    const projects = (await identity.listProjects(userId)).filter(({ id }) => (projectId ?? id) === id);
    const environments = (await Promise.all(projects.map(({ id }) => identity.listEnvironments(id)))).flat();
    const agents = environments.map((environment) => sourceOf(environment, parts.reachAgent));
    const webhooks = environments.map((environment) => webhooksOf(environment, parts));
    return [...new Set((await Promise.all([...agents, ...webhooks])).flat())];
  };
}

/** The page of a team never calls the machine of whoever has it open. */
async function webhooksOf(
  environment: EnvironmentRecord,
  { webhookOriginsOf, sentWebhookOrigins, team }: CallableParts,
): Promise<readonly string[]> {
  const origins = webhookOriginsOf?.(environment) ?? (await sentWebhookOrigins(environment.id));
  return origins.filter((origin) => team === undefined || !isOfThisMachine(origin));
}

async function sourceOf(environment: EnvironmentRecord, reachAgent: ReachAgent | undefined): Promise<string[]> {
  const address = agentAddressOf(environment);
  if (address === undefined || (await reachAgent?.(environment)) !== undefined) return [];
  // Only what is below the address. These signs end a source, and a rule.
  const below = address.endsWith('/') ? address : `${address}/`;
  return [below.replace(/[;,]/g, (sign) => encodeURIComponent(sign))];
}
