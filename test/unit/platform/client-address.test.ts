import { expect, it } from 'vitest';
import { clientAddress } from '#platform/server/client-address';

it.each([
  ['203.0.113.5', '203.0.113.5'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['2001:db8::1', '2001:db8::1'],
  ['127.0.0.1', undefined],
  ['127.1.2.3', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['::1', undefined],
])('a client at %s is known as %s', (ip, address) => {
  expect(clientAddress({ ip })).toBe(address);
});
