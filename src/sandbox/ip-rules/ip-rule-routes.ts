import type { FastifyInstance } from 'fastify';
import { type IpRules, ipRulesSchema } from '#contracts/ip-rules';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { Guards } from '../server/guards.ts';

/** The addresses that each environment lets in. */
export interface IpRuleRepository {
  /** Everybody, until rules are saved. */
  find(environmentId: number): Promise<IpRules>;
  save(environmentId: number, rules: IpRules): Promise<void>;
}

const everybody: IpRules = { use_ip_whitelist: false, rules: [] };

export function createSqliteIpRuleRepository(connection: SqliteConnection): IpRuleRepository {
  return {
    find: async (environmentId) => {
      const [row] = connection.all('select rules from ip_rules where environment_id = ?', [environmentId]);
      return row ? (JSON.parse(String(row['rules'])) as IpRules) : everybody;
    },
    save: async (environmentId, rules) => {
      connection.run(
        'insert into ip_rules (environment_id, rules) values (?, ?) on conflict (environment_id) do update set rules = excluded.rules',
        [environmentId, JSON.stringify(rules)],
      );
    },
  };
}

export function registerIpRuleRoutes(server: FastifyInstance, guards: Guards, rules: IpRuleRepository): void {
  server.get('/agent/v1/ip-whitelist-rules', { onRequest: guards.environment.check }, async (request) =>
    ipRulesSchema.parse({ data: { attributes: await rules.find(guards.environment.of(request).id) } }),
  );
}
