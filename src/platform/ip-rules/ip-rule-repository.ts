import type { IpRules } from '#contracts/ip-rules';
import { type AdminLog, changeLog, thePlatform } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import { logIpRules } from './log-ip-rules.ts';

/** The addresses that each environment lets in. */
export interface IpRuleRepository {
  /** Everybody, until rules are saved. */
  find(environmentId: number): Promise<IpRules>;
  /** The agents are told. */
  save(environment: EnvironmentRecord, rules: IpRules): Promise<void>;
}

const everybody: IpRules = { use_ip_whitelist: false, rules: [] };

export function createIpRuleRepository(store: Store, adminLog: AdminLog): IpRuleRepository {
  return {
    find: (environmentId) => find(store.db, environmentId),
    save: ({ id: environmentId, projectId, name }, saved) =>
      store.transaction(async (transaction) => {
        const before = await find(transaction.db, environmentId);
        logIpRules(changeLog(adminLog, transaction, projectId, thePlatform), name, before, saved);
        const rules = JSON.stringify(saved);
        await transaction.db
          .insertInto('ipRules')
          .values({ environmentId, rules })
          .onConflict((same) => same.column('environmentId').doUpdateSet({ rules }))
          .execute();
        announceEvent(transaction, environmentId, { name: 'refresh-ip-rules' });
      }),
  };
}

async function find(db: Store['db'], environmentId: number): Promise<IpRules> {
  const row = await db
    .selectFrom('ipRules')
    .select('rules')
    .where('environmentId', '=', environmentId)
    .executeTakeFirst();
  return row ? (JSON.parse(row.rules) as IpRules) : everybody;
}
