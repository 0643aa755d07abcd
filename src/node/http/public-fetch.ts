import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';

/** Asks for what somebody else names the address of: `https:` and public addresses only, and no redirect is followed. */
export type PublicFetch = (url: string | URL, init?: { readonly signal?: AbortSignal | null }) => Promise<Response>;

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PublicFetchOptions {
  /** Default: the names that the system knows. */
  readonly lookup?: LookupAll;
  /** Whether an address may be connected to. Default: public ones may. */
  readonly isAllowed?: (address: string) => boolean;
  /** Certificate of an authority to trust beside those of Node.js. */
  readonly ca?: string;
}

const longestWaitMs = 2_500;
const largestAnswerBytes = 64 * 1024;

/** The address is checked that is connected to: a name that leads elsewhere a moment later makes no difference. */
export function createPublicFetch(options: PublicFetchOptions = {}): PublicFetch {
  const { lookup = systemLookup, isAllowed = isPublicAddress, ca } = options;
  let opened: Promise<{ readonly agent: Agent; readonly fetch: typeof import('undici').fetch }> | undefined;
  const open = async () => {
    const { Agent, fetch } = await import('undici');
    const connect = { lookup: checkedLookup(lookup, isAllowed), timeout: longestWaitMs, ...(ca ? { ca } : {}) };
    const limits = { headersTimeout: longestWaitMs, bodyTimeout: longestWaitMs, maxResponseSize: largestAnswerBytes };
    // No connection is kept.
    return { agent: new Agent({ connect, ...limits, pipelining: 0 }), fetch };
  };

  return async (url, { signal } = {}) => {
    const { protocol, hostname, href } = new URL(url);
    if (protocol !== 'https:') throw new TypeError('Only https: addresses are asked.');
    // A name is looked up, and checked then. An address is not.
    const address = hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !isAllowed(address)) throw notPublic(hostname);
    opened ??= open();
    const { agent, fetch } = await opened;
    const deadline = AbortSignal.timeout(longestWaitMs);
    const answer = await fetch(href, {
      dispatcher: agent,
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    return new Response(answer.status === 200 ? await answer.arrayBuffer() : null, {
      status: answer.status < 200 ? 502 : answer.status,
      headers: [...answer.headers],
    });
  };
}

function checkedLookup(lookup: LookupAll, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || !first) return done(error ?? notPublic(hostname), []);
      if (!addresses.every(({ address }) => isAllowed(address))) return done(notPublic(hostname), []);
      return options.all ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

function notPublic(hostname: string): Error {
  return new TypeError(`${hostname} is not a public address.`);
}

/** Networks of IPv4 that are not part of the public internet. */
const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** All public addresses of IPv6 begin with 2 or 3. */
const global6 = ['2000::', 3] as const;
/** The rest of them: protocols, documentation, and addresses that hold one of IPv4. */
const special6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const refused4 = listOf(special4, 'ipv4');
const allowed6 = listOf([global6], 'ipv6');
const refused6 = listOf(special6, 'ipv6');

/** Whether an IP address is one of the public internet, and not of this machine or of a network around it. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refused4.check(address, 'ipv4');
  return isIPv6(address) && allowed6.check(address, 'ipv6') && !refused6.check(address, 'ipv6');
}

function listOf(networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, length] of networks) list.addSubnet(network, length, family);
  return list;
}
