import { BlockList, isIP } from 'node:net';
import { CloudError } from '#kernel/errors/cloud-error';

/** Whether a peer may say for whom it speaks. */
export type IsTrusted = (address: string) => boolean;

/**
 * The proxies whose `X-Forwarded-…` headers are believed: addresses such as `10.0.0.7` and ranges such as `10.0.0.0/8`.
 * Throws `USAGE_INVALID` for anything else.
 */
export function trustedProxies(places: readonly string[]): IsTrusted {
  const list = new BlockList();
  for (const place of places) add(list, place);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, familyOf(version));
  };
}

function add(list: BlockList, place: string): void {
  const [address = '', length, ...rest] = place.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= most);
  if (version === 0 || !isLength || rest.length > 0) throw malformed(place);
  if (length === undefined) list.addAddress(address, familyOf(version));
  else list.addSubnet(address, Number(length), familyOf(version));
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}

function malformed(place: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `"${place}" is no address and no range of addresses, so no proxy can be trusted by it.`,
    nextSteps: ['Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8. A range of length 0, which is everybody, is refused.'],
  });
}
