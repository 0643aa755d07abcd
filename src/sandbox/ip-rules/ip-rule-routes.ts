import type { FastifyInstance } from 'fastify';
import { ipRulesSchema } from '#contracts/ip-rules';
import type { Guards } from '../server/guards.ts';
import type { IpRuleRepository } from './ip-rule-repository.ts';

export function registerIpRuleRoutes(server: FastifyInstance, guards: Guards, rules: IpRuleRepository): void {
  server.get('/agent/v1/ip-whitelist-rules', { onRequest: guards.environment.check }, async (request) =>
    ipRulesSchema.parse({ data: { attributes: await rules.find(guards.environment.of(request).id) } }),
  );
}
