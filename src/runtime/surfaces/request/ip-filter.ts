import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { type IpRule, type IpRules, ipRuleListSchema, ipRuleSchema } from '#contracts/ip-rules';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { createPacedWarnings, type PacedWarning } from '../../activity/paced-warnings.ts';
import { createCachedDocument, type StandIn } from '../../permissions/cached-document.ts';

/** How old the rules may be. */
const rulesAgeMs = 15 * 60_000;
const loopback = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** The source of the rules: the platform. */
export interface IpRuleSource {
  ipRules(): Promise<IpRules>;
}

/** Lets requests pass only from the addresses that the project allows. */
export interface IpFilter {
  /**
   * Rejects with `REQUEST_FORBIDDEN`; with `PLATFORM_…` while the rules are unknown.
   *
   * @param address of the client, as far as trusted proxies tell; otherwise of the peer of the connection.
   * @param isForwarded whether a proxy has passed the request on, trusted or not.
   */
  check(address: string | undefined, isForwarded: boolean): Promise<void>;
  /** Ask for the rules again before the next request; while the platform is away, the last known ones count. */
  forget(): void;
  /** The rules have changed: no earlier ones count any more. */
  drop(): void;
}

/**
 * A request from this machine itself, through no proxy, always passes.
 *
 * @param standIn The rules to use while the platform is away; without it no request passes then.
 */
export function createIpFilter(source: IpRuleSource, clock: Clock, logger: Logger, standIn?: StandIn): IpFilter {
  const warn = createPacedWarnings(logger, clock);
  const allowed = createCachedDocument(
    {
      name: 'ip rules',
      ask: () => source.ipRules(),
      schema: ipRuleListSchema,
      shape: (rules) => ({ list: listOf(rules, warn) }),
    },
    clock,
    standIn,
  );
  return {
    forget: allowed.forget,
    drop: allowed.drop,
    check: async (address = '', isForwarded) => {
      if (!isForwarded && loopback.has(address)) return;
      const { list } = await allowed.get(rulesAgeMs);
      if (list === undefined || list.holds(address)) return;
      throw cloudError('REQUEST_FORBIDDEN', `The project allows no access from the address ${address}.`, [
        'Ask an administrator of the project to allow the address.',
        ...(isForwarded
          ? ['If this is the address of a proxy, name the proxy in the option trustedProxies of the agent.']
          : []),
      ]);
    },
  };
}

/** Whether a proxy says that it has passed the request on. */
export function isForwarded(headers: IncomingHttpHeaders): boolean {
  return ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
}

function listOf({ use_ip_whitelist: isOn, rules }: IpRules, warn: PacedWarning): AddressList | undefined {
  if (!isOn) return undefined;
  const list = createAddressList(rules);
  if (list.unreadable.length > 0) {
    const { length } = list.unreadable;
    warn(`${length} address rules of the project cannot be understood and allow nobody.`, { rules: list.unreadable });
  }
  return list;
}

/** Addresses that are listed by rules. */
interface AddressList {
  /** IPv4 addresses written as IPv6 (`::ffff:…`) count as IPv4. */
  holds(address: string): boolean;
  /** Rules that cannot be understood. */
  readonly unreadable: readonly unknown[];
}

export function createAddressList(rules: readonly unknown[]): AddressList {
  const listed = new BlockList();
  const unreadable = rules.filter((rule) => {
    const parsed = ipRuleSchema.safeParse(rule);
    return !parsed.success || !isAdded(listed, parsed.data);
  });
  return {
    unreadable,
    holds: (address) => {
      const bare = plain(address);
      return isIP(bare) !== 0 && listed.check(bare, familyOf(bare));
    },
  };
}

function isAdded(listed: BlockList, rule: IpRule): boolean {
  try {
    switch (rule.type) {
      case 0:
        listed.addAddress(plain(rule.ip), familyOf(rule.ip));
        return true;
      case 1:
        listed.addRange(plain(rule.ipMinimum), plain(rule.ipMaximum), familyOf(rule.ipMinimum));
        return true;
      case 2: {
        const [network = '', bits = ''] = rule.range.split('/');
        listed.addSubnet(network, /^\d+$/.test(bits) ? Number(bits) : Number.NaN, familyOf(network));
        return true;
      }
    }
  } catch {
    // Node.js refuses invalid addresses and lengths. The rule is reported.
    return false;
  }
}

function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address.trim())?.[1] ?? address.trim();
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(plain(address)) ? 'ipv4' : 'ipv6';
}
