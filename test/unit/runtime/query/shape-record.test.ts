import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEncoder, createShaper } from '#runtime/query/shape-record';

const mask = (value: unknown) => `masked ${value}`;
const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const values = fc.oneof(fc.string(), fc.constant(null), fc.constant(undefined), fc.integer());

/** A record, a relation to another one that may lead nowhere, and which values are masked. */
const cases = fc.record({
  own: fc.uniqueArray(fc.tuple(names, values), { minLength: 1, selector: ([name]) => name }),
  partner: fc.option(fc.uniqueArray(fc.tuple(names, values), { minLength: 1, selector: ([name]) => name })),
  masked: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
});

describe('an encoder of records', () => {
  it('shows what a shaper shows, and leaves the record as it is', () => {
    fc.assert(
      fc.property(cases, ({ own, partner, masked }) => {
        const behind =
          partner && Object.freeze(Object.fromEntries(partner.map(([name, value]) => [name, value ?? null])));
        const ownValues = own.map(([name, value]): [string, unknown] => [name, value ?? null]);
        const record = Object.freeze(Object.fromEntries([...ownValues, ['partner', behind]]));
        const paths = [...own.map(([name]) => name), ...(partner ?? [['a', null]]).map(([name]) => `partner:${name}`)];
        const shown = paths.map((path, at) => ({
          ...{ path, source: path, relationSource: path.includes(':') ? 'partner' : '' },
          encode: masked[at] ? mask : undefined,
        }));
        const encoded = shown.flatMap(({ path, encode }) => (encode ? [{ path, encode }] : []));
        expect(createEncoder(encoded)(record)).toStrictEqual(createShaper(shown)(record));
      }),
    );
  });
});
