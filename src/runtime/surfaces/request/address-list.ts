import { BlockList, isIP, isIPv4 } from 'node:net';
import { type IpRule, ipRuleSchema } from '#contracts/ip-rules';

/** Addresses that are listed by rules. */
export interface AddressList {
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
