import { describe, expect, it } from 'vitest';
import { parseFilter } from '#platform/scim/scim-filter';

describe('parseFilter', () => {
  it('gives "and" precedence over "or", and parentheses over both', () => {
    const is = (attribute: string) => ({ kind: 'present', attribute });
    expect(parseFilter('a pr or b pr and not (c pr or d pr)')).toEqual({
      kind: 'or',
      parts: [
        is('a'),
        { kind: 'and', parts: [is('b'), { kind: 'not', part: { kind: 'or', parts: [is('c'), is('d')] } }] },
      ],
    });
  });

  it('reads values of JSON, and names in any case', () => {
    const values = ['"a \\"b\\" \\u00e9"', '-1.5', 'TRUE', 'null'].map((value) => {
      const filter = parseFilter(`UserName EQ ${value}`);
      return filter.kind === 'compare' ? [filter.attribute, filter.comparison, filter.value] : filter;
    });
    expect(values).toEqual([
      ['username', 'eq', 'a "b" é'],
      ['username', 'eq', -1.5],
      ['username', 'eq', true],
      ['username', 'eq', null],
    ]);
  });

  it.each([
    ['', 'needs an attribute at its end'],
    ['userName', 'needs "pr" or one of eq'],
    ['userName eq', 'needs a value at its end'],
    ['userName is "a"', 'at character 10, and not "is"'],
    ['userName eq bob', 'needs a value at character 13'],
    ['userName eq "bob', 'cannot be read at character 13'],
    ['userName eq "\\q"', 'is not JSON'],
    ['userName eq "\\u0000"', 'U+0000'],
    ['userName eq 1-', 'is not JSON'],
    ['not userName pr', 'needs "(" at character 5'],
    ['(userName pr', 'needs ")" at its end'],
    ['emails[type pr', 'needs "]" at its end'],
    ['userName pr userName pr', 'does not go on with "userName" at character 13'],
    ['userName pr)', 'does not go on with ")"'],
    ['userName pr and', 'needs an attribute at its end'],
    ['userName pr; drop', 'cannot be read at character 12'],
    [`${'('.repeat(21)}a pr${')'.repeat(21)}`, 'more than 20 levels'],
    [Array.from({ length: 101 }, () => 'a pr').join(' or '), 'more than 100 conditions'],
    [`userName eq "${'x'.repeat(2000)}"`, 'more than 2000 characters'],
  ])('refuses %s', (filter, why) => {
    expect(() => parseFilter(filter)).toThrow(why);
  });
});
