import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { CloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '../identity/full-name.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import type { SchemaRepository } from '../schemas/schema-repository.ts';
import type { Guards } from '../server/guards.ts';
import { parseInput } from '../server/parse-input.ts';

/** Says what the people of an environment may do. */
export type EnvironmentPermissionsOf = (environment: EnvironmentRecord) => Promise<EnvironmentPermissions>;

/** A development environment allows everything; until roles can be edited, another one allows nothing. */
export const permissionsByType: EnvironmentPermissionsOf = async ({ type }) =>
  type === 'development' ? true : { collections: {} };

export interface PermissionServices {
  readonly identity: IdentityRepository;
  readonly schemas: SchemaRepository;
  readonly permissionsOf: EnvironmentPermissionsOf;
}

const renderingPath = z.object({ renderingId: z.coerce.number().int().positive() });

/** The three documents an agent decides by. */
export function registerPermissionRoutes(server: FastifyInstance, guards: Guards, services: PermissionServices): void {
  const { identity, schemas, permissionsOf } = services;
  const onRequest = guards.environment.check;

  server.get('/agent/v4/permissions/environment', { onRequest }, async (request, reply) => {
    // A bare `true` would be sent as text.
    return reply.type('application/json').send(JSON.stringify(await permissionsOf(guards.environment.of(request))));
  });

  server.get('/agent/v4/permissions/users', { onRequest }, async (request): Promise<PlatformUser[]> => {
    const members = await identity.listMembers(guards.environment.of(request).projectId);
    return members.map(({ roleName: _roleName, ...member }) => ({ ...member, fullName: fullNameOf(member), tags: {} }));
  });

  server.get(
    '/agent/v4/permissions/renderings/:renderingId',
    { onRequest },
    async (request): Promise<RenderingPermissions> => {
      const { renderingId } = parseInput(renderingPath, request.params);
      const environment = guards.environment.of(request);
      const rendering = await identity.findRendering(environment.id, renderingId);
      if (!rendering) {
        throw new CloudError({
          code: 'REQUEST_NOT_FOUND',
          message: `The environment has no rendering ${renderingId}.`,
          nextSteps: ['Use a rendering of this environment.'],
        });
      }
      const document = await schemas.findDocument(environment.id);
      const unrestricted = { scope: null, segments: [], liveQuerySegments: [] };
      return {
        team: { id: rendering.id, name: rendering.team },
        collections: Object.fromEntries((document?.collections ?? []).map(({ name }) => [name, unrestricted])),
        stats: [],
      };
    },
  );
}
