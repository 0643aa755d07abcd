import type { FastifyInstance } from 'fastify';
import { ipRulesSchema } from '#contracts/ip-rules';
import type { Guards } from '../access/guards.ts';
import type { IpRuleRepository } from '../ip-rules/ip-rule-repository.ts';
import { ipRulesOf } from '../rights/derive-permissions.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';

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
