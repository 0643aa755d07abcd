import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '#node/http/public-fetch';

describe('an address of the public internet', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '223.255.255.255', '2606:4700:4700::1111', '2a00::1'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
    ...['192.0.0.1', '192.168.1.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:10.0.0.1', '::ffff:a00:1', '::ffff:8.8.8.8', '64:ff9b::a00:1', 'fc00::1', 'fd12::1'],
    ...['fe80::1', 'ff02::1', '2001:db8::1', '2001::1', '2002:a00:1::', '3fff::1', '2130706433', 'localhost', ''],
  ])('is not "%s"', (address) => expect(isPublicAddress(address)).toBe(false));
});
