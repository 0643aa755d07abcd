import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SignedInUser } from '#contracts/sign-in';
import { CloudError } from '#kernel/errors/cloud-error';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import { personIn } from '../rights/derive-permissions.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import type { Guards } from '../server/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { OpenProvider } from './provider-holder.ts';

const renderingPath = z.object({ renderingId: z.coerce.number().int().positive() });

/** Says to an agent who has signed in, and whether that person has the rendering. */
export function registerAuthorizationRoutes(
  server: FastifyInstance,
  guards: Guards,
  identity: IdentityRepository,
  rights: RightsRepository,
  openProvider: OpenProvider,
): void {
  server.get(
    '/agent/v2/renderings/:renderingId/authorization',
    { onRequest: guards.environment.check },
    async (request): Promise<SignedInUser> => {
      const { renderingId } = parseInput(renderingPath, request.params);
      const environment = guards.environment.of(request);
      const given = request.headers['service-token'];
      const provider = await openProvider();
      const token = typeof given === 'string' ? await provider.AccessToken.find(given) : undefined;
      const client = token && (await provider.Client.find(String(token.clientId)));
      if (!token || client?.['environment_id'] !== environment.id) throw unauthenticated();
      const rendering = await identity.findRendering(environment.id, renderingId);
      const member = await identity.findMember(environment.projectId, Number(token.accountId));
      if (!rendering || !member) throw forbidden(renderingId);
      const known = await rights.find(environment.id);
      const { role, tags } = known ? personIn(known.document, member.email) : { role: undefined, tags: {} };
      return {
        data: {
          id: String(member.id),
          attributes: {
            email: member.email,
            first_name: member.firstName,
            last_name: member.lastName,
            teams: [rendering.team],
            role: role ?? member.roleName,
            permission_level: member.permissionLevel,
            tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
          },
        },
      };
    },
  );
}

function unauthenticated(): CloudError {
  return new CloudError({
    code: 'REQUEST_UNAUTHENTICATED',
    message: 'The access token is unknown, has expired, or was made for another environment.',
    nextSteps: ['Sign in again.'],
  });
}

function forbidden(renderingId: number): CloudError {
  return new CloudError({
    code: 'REQUEST_FORBIDDEN',
    message: `You have no access to the rendering ${renderingId}.`,
    nextSteps: ['Ask an administrator of the project for access.'],
  });
}
