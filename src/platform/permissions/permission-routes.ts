import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { ClientPermissions } from '#contracts/client-permissions';
import { ipRulesSchema } from '#contracts/ip-rules';
import type { PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Guards } from '../access/guards.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { IpRuleRepository } from '../ip-rules/ip-rule-repository.ts';
import { ipRulesOf } from '../rights/derive-permissions.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { PermissionService } from './permission-service.ts';

const renderingPath = z.object({ renderingId: z.coerce.number().int().positive() });

/** The documents an agent decides by. */
export function registerPermissionRoutes(
  server: FastifyInstance,
  guards: Guards,
  identity: IdentityRepository,
  permissions: PermissionService,
): void {
  const onRequest = guards.environment.check;

  server.get('/agent/v4/permissions/environment', { onRequest }, async (request, reply) => {
    // A bare `true` would be sent as text.
    const document = await permissions.environment(guards.environment.of(request));
    return reply.type('application/json').send(JSON.stringify(document));
  });

  server.get(
    '/agent/v4/permissions/users',
    { onRequest },
    (request): Promise<PlatformUser[]> => permissions.users(guards.environment.of(request)),
  );

  server.get(
    '/agent/v1/permissions/clients',
    { onRequest },
    (request): Promise<ClientPermissions> => permissions.clients(guards.environment.of(request)),
  );

  server.get(
    '/agent/v4/permissions/renderings/:renderingId',
    { onRequest },
    async (request): Promise<RenderingPermissions> => {
      const { renderingId } = parseInput(renderingPath, request.params);
      const environment = guards.environment.of(request);
      const rendering = await identity.findRendering(environment.id, renderingId);
      if (rendering) return permissions.rendering(environment, rendering);
      throw cloudError(
        'REQUEST_NOT_FOUND',
        `The environment has no rendering ${renderingId}.`,
        'Use a rendering of this environment.',
      );
    },
  );
}

/** Tells agents which addresses may reach the data. The rights of an environment decide; without rights, the saved rules do. */
export function registerIpRuleRoutes(
  server: FastifyInstance,
  guards: Guards,
  rules: IpRuleRepository,
  rights: RightsRepository,
): void {
  server.get('/agent/v1/ip-whitelist-rules', { onRequest: guards.environment.check }, async (request) => {
    const { id } = guards.environment.of(request);
    const document = await rights.findDocument(id);
    const attributes = document ? ipRulesOf(document) : await rules.find(id);
    return ipRulesSchema.parse({ data: { attributes } });
  });
}
