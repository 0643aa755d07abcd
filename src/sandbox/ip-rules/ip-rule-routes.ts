import type { FastifyInstance } from 'fastify';
import { ipRulesSchema } from '#contracts/ip-rules';
import { ipRulesOf } from '../rights/derive-permissions.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import type { Guards } from '../server/guards.ts';
import type { IpRuleRepository } from './ip-rule-repository.ts';

/** Who may reach the data: what the rights of the environment say, where it has any. */
export function registerIpRuleRoutes(
  server: FastifyInstance,
  guards: Guards,
  rules: IpRuleRepository,
  rights: RightsRepository,
): void {
  server.get('/agent/v1/ip-whitelist-rules', { onRequest: guards.environment.check }, async (request) => {
    const { id } = guards.environment.of(request);
    const known = await rights.find(id);
    const attributes = known ? ipRulesOf(known.document) : await rules.find(id);
    return ipRulesSchema.parse({ data: { attributes } });
  });
}
