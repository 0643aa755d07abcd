import { expect, it } from 'vitest';
import { parseServerAddress } from '#kernel/text/server-address';

it.each([
  ['postgres://db/shop', ['db'], ''],
  ['postgres://app:p,w@db1:5432,db2/shop?sslmode=require', ['db1:5432', 'db2'], 'p,w'],
  ['postgres://app:pw@[::1]:5432,db2/shop', ['[::1]:5432', 'db2'], 'pw'],
  ['postgres:///shop', [''], ''],
])('the address %s names its hosts', (text, hosts, password) => {
  const address = parseServerAddress(text);
  expect(address?.hosts).toEqual(hosts);
  expect(address?.url).toMatchObject({ pathname: '/shop', password });
});

it.each([
  'shop.sqlite',
  'sqlite:shop.sqlite',
  'postgres://a,b:port/shop',
  'postgres://a,,b/shop',
  'postgres://a,/shop',
])('the text %s is not an address of a server', (text) => {
  expect(parseServerAddress(text)).toBeUndefined();
});
