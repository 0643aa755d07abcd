import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import { isPublicAddress } from './public-address.ts';

/** Asks for what somebody else names the address of: `https:` and public addresses alone, and no redirect is followed. */
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
  return new TypeError(`${hostname} is no public address.`);
}
