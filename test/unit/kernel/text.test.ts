import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#kernel/json/canonical-json';
import { nearestName } from '#kernel/text/nearest-name';

describe('nearestName', () => {
  it('finds the name that was meant', () => {
    expect(nearestName('custmers', ['orders', 'customers'])).toBe('customers');
    expect(nearestName('psuh', ['push', 'dev'])).toBe('push');
  });

  it('suggests nothing when nothing is close', () => {
    expect(nearestName('invoices', ['customers', 'dev'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
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
});
