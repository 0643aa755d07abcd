import type { FastifyInstance } from 'fastify';
import type { Environment, Me } from '#contracts/identity';
import { fullNameOf } from '#kernel/text/full-name';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { Guards } from './guards.ts';

/** Who one is: `/agent/environment` for an agent, `/api/me` for a person. */
export function registerIdentityRoutes(server: FastifyInstance, guards: Guards, identity: IdentityRepository): void {
  server.get('/agent/environment', { onRequest: guards.environment.check }, async (request): Promise<Environment> => {
    const environment = guards.environment.of(request);
    const { name, type, apiEndpoint } = environment;
    return { data: { id: String(environment.id), attributes: { name, type, api_endpoint: apiEndpoint } } };
  });

  server.get('/api/me', { onRequest: guards.user.check }, async (request): Promise<Me> => {
    const { user, environment } = guards.user.of(request);
    const rendering = await identity.findRenderingOfTeam(environment.id, user.team);
    return {
      user: { id: user.id, name: fullNameOf(user), email: user.email },
      team: user.team,
      renderingId: rendering?.id ?? null,
      project: environment.projectName,
      projectId: environment.projectId,
      environment: environment.name,
    };
  });
}
