import { describe, expect, it } from 'vitest';
import { isBelowPrefix } from '#runtime/surfaces/mounts/mount-gate';

describe('a path', () => {
  it.each([
    ['/service', '/service'],
    ['/service/', '/service'],
    ['/service?timezone=UTC', '/service'],
    ['/service/orders/1', '/service'],
    ['/SerVice/orders', '/service'],
    ['/service/orders', '/Service'],
    ['/%73erv%69ce/orders', '/service'],
    ['/service/%', '/service'],
    ['/a/b/c', '/a/b'],
    ['/~me/my_api-1/x', '/~me/my_api-1'],
    ['http://example.test/service/orders', '/service'],
    ['/anything', ''],
    ['*', ''],
  ])('%s is below "%s"', (url, prefix) => {
    expect(isBelowPrefix(url, prefix)).toBe(true);
  });

  it.each([
    ['/services', '/service'],
    ['/service%2Forders', '/service'],
    ['/', '/service'],
    ['', '/service'],
    ['*', '/service'],
    ['//service', '/service'],
    ['/x/service', '/service'],
    ['/a', '/a/b'],
    ['/a/bc', '/a/b'],
    ['/%E0%A4%A', '/service'],
    ['/?/service', '/service'],
    ['http://example.test', '/service'],
  ])('%s is not below "%s"', (url, prefix) => {
    expect(isBelowPrefix(url, prefix)).toBe(false);
  });
});
