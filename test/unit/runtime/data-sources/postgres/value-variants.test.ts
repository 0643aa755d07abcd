import { describe, expect, it } from 'vitest';
import { postgresVariantOf } from '#runtime/data-sources/postgres/postgres-values';

describe('the variant of a value', () => {
  it.each<[unknown, string]>([
    [1, ''],
    [2 ** 53, ''],
    ['9223372036854775807', ''],
    ['9223372036854775808', 'beyond-bigint'],
    [-(2n ** 63n) - 1n, 'beyond-bigint'],
    [1.5, 'beyond-bigint'],
    [1e30, 'beyond-bigint'],
    ['1e3', 'beyond-bigint'],
    ['word', ''],
    ['a\0b', 'unstorable'],
    [null, 'null'],
    [undefined, 'null'],
    [[1, null], 'null'],
    [[1, 1.5], ''],
  ])('%o is %j', (value, variant) => {
    expect(postgresVariantOf(value)).toBe(variant);
  });
});
