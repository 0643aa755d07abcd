import type { AdminValues } from '#contracts/audit/admin-values';
import { type IpRules, ipRuleSchema } from '#contracts/ip-rules';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { LogChange } from '../audit/admin-log.ts';

/** Addresses that one row has before, and as many after. */
const maxAddresses = 500;

/** Log which addresses may reach the data of an environment, if they are others than before. `null`: everybody. */
export function logIpRules(log: LogChange, environment: string, before: IpRules | null, after: IpRules | null): void {
  const [previousValue, newValue] = [rulesValue(before), rulesValue(after)];
  if (canonicalJson(before ?? everybody) === canonicalJson(after ?? everybody)) return;
  log({ type: 'update', resource: 'ip-rules', environment, previousValue, newValue });
}

const everybody: IpRules = { use_ip_whitelist: false, rules: [] };

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
