import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#kernel/json/canonical-json';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

describe('nearestName', () => {
  it('finds the name that was meant', () => {
    expect(nearestName('custmers', ['orders', 'customers'])).toBe('customers');
    expect(nearestName('psuh', ['push', 'dev'])).toBe('push');
  });

  it('takes the closest name, and the first of several', () => {
    expect(nearestName('name', ['nome', 'names', 'nam'])).toBe('nome');
    expect(nearestName('statsu', ['statement', 'status', 'state'])).toBe('status');
  });

  it('allows for a third of the letters, and for two in a short name', () => {
    expect(nearestName('abcdefghi', ['abcdefxyz'])).toBe('abcdefxyz');
    expect(nearestName('abcdefghi', ['abcdewxyz'])).toBeUndefined();
    expect(nearestName('abc', ['axy'])).toBe('axy');
    expect(nearestName('ab', ['xy'])).toBeUndefined();
  });

  it('does not mind the case', () => {
    expect(nearestName('CUSTOMER', ['order', 'Customers'])).toBe('Customers');
  });

  it('suggests nothing when nothing is close', () => {
    expect(nearestName('invoices', ['customers', 'dev'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('asks for the nearest name, where there is one', () => {
    expect(didYouMean('customers')).toBe(' Did you mean "customers"?');
    expect(didYouMean(undefined)).toBe('');
  });
});

describe('canonicalJson', () => {
  it('gives the same text whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('sorts within lists and objects, and leaves out what JSON leaves out', () => {
    const own = JSON.parse('{"__proto__":{"b":1,"a":2}}');
    const value = { d: [{ b: 1, a: undefined }, undefined], c: new Date(0), b: own, a: Buffer.from('x') };
    expect(canonicalJson(value)).toBe(
      '{"a":{"data":[120],"type":"Buffer"},"b":{"__proto__":{"a":2,"b":1}},"c":"1970-01-01T00:00:00.000Z","d":[{"b":1},null]}',
    );
  });
});

describe('isLoopbackHost', () => {
  it.each(['http://localhost:3310', 'http://127.0.0.1', 'http://127.9.8.7', 'http://[::1]:3310'])(
    'takes %s',
    (address) => {
      expect(isLoopbackHost(new URL(address).hostname)).toBe(true);
    },
  );

  it.each(['http://localhost.example.com', 'http://128.0.0.1', 'http://127.0.0.1.example.com', 'http://[::2]'])(
    'refuses %s',
    (address) => {
      expect(isLoopbackHost(new URL(address).hostname)).toBe(false);
    },
  );
});
