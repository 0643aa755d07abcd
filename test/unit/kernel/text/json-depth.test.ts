import { describe, expect, it } from 'vitest';
import { isTooDeep } from '#kernel/text/json-depth';

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('the depth of JSON', () => {
  it.each([
    ['a thousand levels', nested(1_000)],
    ['many objects beside each other', JSON.stringify(Array.from({ length: 2_000 }, () => ({ a: [1] })))],
    ['brackets in texts', JSON.stringify(['['.repeat(2_000), '"['.repeat(2_000), '\\"['.repeat(2_000)])],
    ['brackets in a name that ends in a backslash', JSON.stringify({ ['{\\'.repeat(2_000)]: 1 })],
    ['brackets in a text without an end', `"${'['.repeat(2_000)}`],
  ])('is no trouble: %s', (_what, json) => {
    expect(isTooDeep(json)).toBe(false);
  });

  it.each([
    ['lists', nested(1_001)],
    ['objects', `${'{"a\\\\":'.repeat(1_001)}1${'}'.repeat(1_001)}`],
    ['what has no end', '[{"":'.repeat(501)],
  ])('is too much: %s', (_what, json) => {
    expect(isTooDeep(json)).toBe(true);
  });
});
