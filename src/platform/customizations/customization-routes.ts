import type { FastifyInstance } from 'fastify';
import type { Guards } from '../access/guards.ts';
import type { CustomizationRepository } from './customization-repository.ts';

export function registerCustomizationRoutes(
  server: FastifyInstance,
  guards: Guards,
  customizations: CustomizationRepository,
): void {
  server.get('/agent/model-customizations', { onRequest: guards.environment.check }, (request) =>
    customizations.find(guards.environment.of(request).id),
  );
}
