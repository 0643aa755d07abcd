import type { FastifyInstance } from 'fastify';
import type { Environment, Me } from '#contracts/identity';
import { fullNameOf } from '#kernel/text/full-name';
import { deedsOf } from '../access/authorise.ts';
import { type Guards, type ImpersonationInUse, impersonableRoute, type SignedInUser } from '../access/guards.ts';
import {
  agentAddressOf,
  type EnvironmentRecord,
  type IdentityRepository,
  type ReachAgent,
} from '../identity/identity-repository.ts';
import { type ClaimSources, placeIn } from '../rights/person-claims.ts';

export interface WhoAmIServices {
  readonly identity: IdentityRepository;
  readonly rights: ClaimSources['rights'];
  readonly reachAgent: ReachAgent;
  /** Whether the platform is on the machine of everybody who uses it, so that they reach what it reaches. */
  readonly isOfOneDeveloper: boolean;
}

/** Who one is: `/agent/environment` for an agent, `/api/me` for a person. */
export function registerWhoAmI(server: FastifyInstance, guards: Guards, services: WhoAmIServices): void {
  const { identity, rights } = services;
  server.get('/agent/environment', { onRequest: guards.environment.check }, async (request): Promise<Environment> => {
    const environment = guards.environment.of(request);
    const { name, type, apiEndpoint } = environment;
    return { data: { id: String(environment.id), attributes: { name, type, api_endpoint: apiEndpoint } } };
  });

  const byPage = { onRequest: guards.user.check, config: impersonableRoute };
  server.get('/api/me', byPage, async (request): Promise<Me> => {
    const { user, environment, credential, impersonation } = guards.user.of(request);
    const [rendering, { roles, teams }, environments] = await Promise.all([
      identity.findRenderingOfTeam(environment.id, user.team),
      placeIn(environment, user, rights),
      identity.listEnvironments(environment.projectId),
    ]);
    return {
      user: { id: user.id, name: fullNameOf(user), email: user.email },
      team: user.team,
      renderingId: rendering?.id ?? null,
      project: environment.projectName,
      projectId: environment.projectId,
      environment: environment.name,
      level: user.permissionLevel,
      role: roles[0].name,
      roles: [...roles],
      teams: [...teams],
      projects: impersonation
        ? [ofEnvironment(environment)]
        : await projectsOf(user, environment, credential, identity),
      environments: await Promise.all(environments.map((each) => describe(each, services))),
      deeds: impersonation ? [] : [...deedsOf(user)],
      ...(impersonation ? { impersonation: inUse(impersonation) } : {}),
    };
  });
}

/** A token is for one project, and so is the session of somebody who signed in with one. */
async function projectsOf(
  { id }: SignedInUser['user'],
  environment: EnvironmentRecord,
  credential: SignedInUser['credential'],
  identity: IdentityRepository,
): Promise<Me['projects']> {
  if (credential.kind === 'browser' && credential.session.projectId === undefined) {
    return [...(await identity.listProjects(id))];
  }
  return [ofEnvironment(environment)];
}

function ofEnvironment({ projectId: id, projectName: name }: EnvironmentRecord): Me['projects'][number] {
  return { id, name };
}

function inUse({ by, expiresAt }: ImpersonationInUse): Me['impersonation'] {
  return { by: by.id, expiresAt: new Date(expiresAt).toISOString() };
}

async function describe(
  environment: EnvironmentRecord,
  { reachAgent, isOfOneDeveloper }: WhoAmIServices,
): Promise<Me['environments'][number]> {
  const { name, type } = environment;
  const reached = await reachAgent(environment);
  const own = agentAddressOf(environment);
  return {
    name,
    type,
    agent: reached === undefined ? (own ?? null) : 'platform',
    agentUrl: own ?? (isOfOneDeveloper ? reached : undefined) ?? null,
  };
}
