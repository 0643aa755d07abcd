import type { AdminValues } from '#contracts/audit/admin-values';
import { type IpRules, ipRuleSchema } from '#contracts/ip-rules';
import { canonicalJson } from '#kernel/json/canonical-json';
import { type AdminLog, changeLog, type LogChange, thePlatform } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';

/** The addresses that each environment lets in. */
export interface IpRuleRepository {
  /** Everybody, until rules are saved. */
  find(environmentId: number): Promise<IpRules>;
  /** The agents learn about it. */
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

/** Addresses that one row has before, and as many after. */
const maxAddresses = 500;

/** Log which addresses may reach the data of an environment, if they are others than before. `null`: everybody. */
export function logIpRules(log: LogChange, environment: string, before: IpRules | null, after: IpRules | null): void {
  const [previousValue, newValue] = [rulesValue(before), rulesValue(after)];
  if (canonicalJson(before ?? everybody) === canonicalJson(after ?? everybody)) return;
  log({ type: 'update', resource: 'ip-rules', environment, previousValue, newValue });
}

function rulesValue(given: IpRules | null): AdminValues['ip-rules'] {
  const { use_ip_whitelist: isLimited, rules } = given ?? everybody;
  const addresses = rules.slice(0, maxAddresses).map(addressOf);
  return { isLimited, addresses, more: rules.length - addresses.length };
}

function addressOf(given: unknown): string {
  const { data: rule } = ipRuleSchema.safeParse(given);
  if (!rule) return canonicalJson(given);
  if (rule.type === 0) return rule.ip;
  return rule.type === 1 ? `${rule.ipMinimum} to ${rule.ipMaximum}` : rule.range;
}
