import type { IpRules } from '#contracts/ip-rules';
import { announceEvent } from '../events/announce-event.ts';
import type { Store } from '../store/store.ts';

/** The addresses that each environment lets in. */
export interface IpRuleRepository {
  /** Everybody, until rules are saved. */
  find(environmentId: number): Promise<IpRules>;
  /** The agents are told. */
  save(environmentId: number, rules: IpRules): Promise<void>;
}

const everybody: IpRules = { use_ip_whitelist: false, rules: [] };

export function createIpRuleRepository(store: Store): IpRuleRepository {
  return {
    find: async (environmentId) => {
      const row = await store.db
        .selectFrom('ipRules')
        .select('rules')
        .where('environmentId', '=', environmentId)
        .executeTakeFirst();
      return row ? (JSON.parse(row.rules) as IpRules) : everybody;
    },
    save: (environmentId, saved) =>
      store.transaction(async (transaction) => {
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
