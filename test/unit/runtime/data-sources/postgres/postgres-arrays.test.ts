import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArray, writeArray } from '#runtime/data-sources/postgres/postgres-arrays';

describe('an array of PostgreSQL', () => {
  it.each<[string, unknown]>([
    ['{}', []],
    ['{1,NULL,"NULL"}', ['1', null, 'NULL']],
    ['{"a,b","q\\"x","back\\\\slash",""}', ['a,b', 'q"x', 'back\\slash', '']],
    ['{{1},{2}}', [['1'], ['2']]],
    ['[0:1]={a,b}', ['a', 'b']],
  ])('reads %s', (text, items) => {
    expect(readArray(text)).toEqual(items);
  });

  it('reads what it writes', () => {
    const item = fc.option(fc.string({ unit: 'binary' }), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.oneof(item, fc.array(item, { minLength: 1 }))), (items) => {
        expect(readArray(writeArray(items))).toEqual(items);
      }),
    );
  });
});
