import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSearch, type SearchExpression, termsOf } from '#runtime/query/search/parse-search';

/** An expression in short: `all(a, any(-b, name=c))`. */
function inShort(expression: SearchExpression): string {
  if (expression.kind !== 'term') return `${expression.kind}(${expression.parts.map(inShort).join(', ')})`;
  const { isNegated, property, text } = expression;
  return `${isNegated ? 'not ' : ''}${property === undefined ? '' : `${property}=`}${text}`;
}

describe('a search', () => {
  it.each([
    // Words and keywords.
    ['ada', 'ada'],
    ['  ada \t lovelace ', 'all(ada, lovelace)'],
    ['ada AND lovelace', 'all(ada, lovelace)'],
    ['ada OR bob', 'any(ada, bob)'],
    ['a b OR c d', 'any(all(a, b), all(c, d))'],
    ['a OR b AND c OR d', 'any(a, all(b, c), d)'],
    ['a or b and c', 'all(a, or, b, and, c)'],
    ['OR gate', 'all(OR, gate)'],
    ['NAND gate OR', 'all(NAND, gate, OR)'],
    ['a OR OR b', 'any(a, all(OR, b))'],
    ['a AND AND b', 'all(a, AND, b)'],
    ['(AND a)', 'all(AND, a)'],
    ['(a OR )', 'all(a, OR)'],
    // Groups.
    ['(a OR b) c', 'all(any(a, b), c)'],
    ['((a OR b) (c OR d)) OR e', 'any(all(any(a, b), any(c, d)), e)'],
    ['( a b )', 'all(a, b)'],
    ['(a b)(c d)', 'all(all(a, b), all(c, d))'],
    ['Acme (France)', 'all(Acme, (France))'],
    ['f(x) (g(y) z)', 'all(f(x), all(g(y), z))'],
    ['a) b', 'all(a), b)'],
    // Phrases.
    [`"new york" 'new jersey'`, 'all(new york, new jersey)'],
    [`"it's" o'brien`, `all(it's, o'brien)`],
    ['""', ''],
    ['"a OR b"', 'a OR b'],
    ['("a b" c)', 'all(a b, c)'],
    // Negation.
    ['-a -"b c" -n:d', 'all(not a, not b c, not n=d)'],
    ['-(a OR b)', 'all(not a, not b)'],
    ['-(a b) c', 'all(any(not a, not b), c)'],
    ['-(a -b)', 'any(not a, b)'],
    ['-(Paris)', 'not (Paris)'],
    ['a - b', 'all(a, -, b)'],
    ['--force', '--force'],
    ['a-b', 'a-b'],
    // Numbers.
    ['-5', '-5'],
    ['-0.5e3 -.5', 'all(-0.5e3, -.5)'],
    ['-(-5 a)', 'any(not -5, not a)'],
    ['-5th', 'not 5th'],
    ['-"5"', 'not 5'],
    // Fields.
    ['rating:5', 'rating=5'],
    ['rating:-5', 'rating=-5'],
    ['-rating:>=-5', 'not rating=>=-5'],
    ['customer.name:"Ada L"', 'customer.name=Ada L'],
    ['name:""', 'name='],
    ['name: x', 'all(name:, x)'],
    [':x', ':x'],
    ['site:http://a.b/c', 'site=http://a.b/c'],
    ['(a:b c:d)', 'all(a=b, c=d)'],
    // What is not of the language is meant as it is.
    ['(a b', '(a b'],
    ['a ()', 'a ()'],
    ['"a b', '"a b'],
    ['a "b"c', 'a "b"c'],
    [`'tis the season`, `'tis the season`],
    ['a n:"b', 'a n:"b'],
  ])('%s means %s', (search, expected) => {
    expect(inShort(parseSearch(search))).toBe(expected);
  });

  it.each([
    ['groups', `${'('.repeat(33)}a b${')'.repeat(33)}`],
    ['terms', 'a '.repeat(101).trim()],
  ])('takes too many %s as plain text', (_what, search) => {
    expect(parseSearch(search)).toEqual({ kind: 'term', isNegated: false, text: search });
  });

  it('reads any text in a bounded number of terms, each a part of the text', () => {
    const tokens = fc.constantFrom('a', '-', '(', ')', '"', "'", ' ', ':', 'OR', ' AND ', '\n', '5', '\\', '.');
    const language = fc.array(tokens, { maxLength: 60 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(language, fc.string({ unit: 'binary', maxLength: 80 })), (search) => {
        const terms = termsOf(parseSearch(search));
        expect(terms.length).toBeGreaterThan(0);
        for (const { text, property = '' } of terms) {
          expect(search).toContain(text);
          expect(search).toContain(property);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['(', '-(', ')', '"', "'a' ", 'a:', 'a:"', 'OR ', 'a OR ', '- ', '(a b) ', '((a ', '-a:('])(
    'takes steps in proportion to its length: %j again and again',
    (part) => {
      const stepsFor = (count: number) => countSteps(part.repeat(count).slice(0, 5000));
      expect(stepsFor(1200)).toBeLessThan(6000 * 12);
    },
  );
});

/** How often a character of the text is looked at. */
function countSteps(search: string): number {
  let steps = 0;
  const counted = new Proxy(Object(search) as object, {
    get(target, name) {
      steps += typeof name === 'string' && /^\d+$/.test(name) ? 1 : 0;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  parseSearch({ trim: () => counted } as unknown as string);
  return steps;
}
