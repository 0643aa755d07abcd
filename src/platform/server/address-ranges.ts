import { BlockList, isIP } from 'node:net';

/** Whether an address is one of some addresses and ranges. */
export type IncludesAddress = (address: string) => boolean;

/**
 * Reads addresses such as `10.0.0.7` and ranges such as `10.0.0.0/8`.
 *
 * @param malformed makes the error that is thrown for anything else, and for a range of length 0, which is everybody.
 */
export function addressRanges(places: readonly string[], malformed: (place: string) => Error): IncludesAddress {
  const list = new BlockList();
  for (const place of places) {
    const [address = '', length, ...rest] = place.split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const isLength =
      length === undefined || (/^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= most);
    if (version === 0 || !isLength || rest.length > 0) throw malformed(place);
    if (length === undefined) list.addAddress(address, familyOf(version));
    else list.addSubnet(address, Number(length), familyOf(version));
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, familyOf(version));
  };
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address is one of this machine only. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
