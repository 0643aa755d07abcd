import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Random } from '#kernel/ports/random';
import { packageRoot } from '#node/system/package-files';
import type { Guards } from '../access/guards.ts';
import type { AgentTokens } from '../agent-access/agent-tokens.ts';
import {
  agentAddressOf,
  type EnvironmentRecord,
  type IdentityRepository,
  type ReachAgent,
} from '../identity/identity-repository.ts';
import type { FindPageSession } from '../page-access/page-session.ts';
import { pageSessions, type SignedInBrowsers } from '../provider/browser-session.ts';
import { type CallableServers, registerConsoleFiles } from './console-files.ts';
import { type ConsoleEventServices, type DevEvents, registerConsoleEvents } from './event-routes.ts';
import { registerConsoleSession } from './session-routes.ts';

interface ConsoleServices extends Omit<ConsoleEventServices, 'devEvents'> {
  readonly browsers: SignedInBrowsers;
  readonly agentTokens: AgentTokens;
}

interface ConsoleOptions {
  readonly random: Random;
  readonly consoleFolder?: string;
  readonly devEvents?: DevEvents;
  readonly reachAgent?: ReachAgent;
}

/** The application that people open: its files, its session and its events. */
export function registerConsole(
  server: FastifyInstance,
  guards: Guards,
  { browsers, agentTokens, ...services }: ConsoleServices,
  { random, consoleFolder = path.join(packageRoot, 'dist/console'), devEvents, reachAgent }: ConsoleOptions,
): void {
  const findPageSession = pageSessions(browsers);
  const callable = callableServers({ identity: services.identity, findPageSession, reachAgent });
  registerConsoleFiles(server, consoleFolder, callable);
  registerConsoleSession(server, { ...browsers, random, agentTokens });
  registerConsoleEvents(server, guards, { ...services, devEvents });
}

interface CallableParts {
  readonly identity: Pick<IdentityRepository, 'listProjects' | 'listEnvironments'>;
  readonly findPageSession: FindPageSession;
  readonly reachAgent: ReachAgent | undefined;
}

/**
 * What the page of somebody may call beside the platform: the agents of their environments that the platform does not reach. A page
 * of nobody may call nothing; the sign-in loads it again.
 */
function callableServers({ identity, findPageSession, reachAgent }: CallableParts): CallableServers {
  return async (request, reply) => {
    const session = await findPageSession(request, reply);
    if (!session) return [];
    const { userId, projectId } = session;
    const projects = (await identity.listProjects(userId)).filter(({ id }) => (projectId ?? id) === id);
    const environments = (await Promise.all(projects.map(({ id }) => identity.listEnvironments(id)))).flat();
    const sources = await Promise.all(environments.map((environment) => sourceOf(environment, reachAgent)));
    return [...new Set(sources.flat())];
  };
}

async function sourceOf(environment: EnvironmentRecord, reachAgent: ReachAgent | undefined): Promise<string[]> {
  const address = agentAddressOf(environment);
  if (address === undefined || (await reachAgent?.(environment)) !== undefined) return [];
  // Only what is below the address. These signs end a source, and a rule.
  const below = address.endsWith('/') ? address : `${address}/`;
  return [below.replace(/[;,]/g, (sign) => encodeURIComponent(sign))];
}
