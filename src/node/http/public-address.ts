import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Networks of IPv4 that are no part of the public internet. */
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
