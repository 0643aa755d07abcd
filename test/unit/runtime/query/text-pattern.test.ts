import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { linearSyntax } from '#runtime/query/linear-syntax';
import { isBoundedByTime, loadLinearEngine, textPattern } from '#runtime/query/text-pattern';
import { randomRuns } from '../../../helpers/random-runs.ts';

const letters = ['a', 'b', 'K', 'ſ', 'é', '_', '7', ' ', '\u00a0', '\n', '\r', '\u2028', '-', ']', '[', '.', '{', '😀'];
const literal = fc.constantFrom(
  'a',
  'b',
  'K',
  's',
  'é',
  '7',
  ' ',
  '-',
  '\\.',
  '\\[',
  '\\]',
  '\\{',
  '\\n',
  '\\t',
  '\\u00e9',
  '\\x41',
  '😀',
);
const anything = fc.constantFrom(
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '[^a]',
  '[a-k]',
  '[\\s\\d]',
  '[\\S]',
  '[^\\n-]',
  '[[:a]',
);
const edge = fc.constantFrom('^', '$', '\\b', '\\B');
const repetition = fc.constantFrom('*', '+', '?', '*?', '+?', '{2}', '{1,}', '{0,3}');

const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { weight: 4, arbitrary: literal },
    { weight: 3, arbitrary: anything },
    { weight: 1, arbitrary: edge },
    { weight: 2, arbitrary: fc.tuple(fc.oneof(literal, anything), repetition).map((parts) => parts.join('')) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '{2}'))
        .map(([inner, more]) => `(${inner})${more}`),
    },
    { weight: 1, arbitrary: tie('pattern').map((inner) => `(?:${inner})`) },
    { weight: 1, arbitrary: fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`) },
  ),
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
}));
const text = fc.array(fc.constantFrom(...letters), { maxLength: 12 }).map((parts) => parts.join(''));
const flags = fc.constantFrom('', 'u', 'iu', 's', 'su', 'gu');

beforeAll(loadLinearEngine);

describe('a pattern', () => {
  it('says the same as the engine of JavaScript', () => {
    let linear = 0;
    const property = fc.property(
      pattern,
      flags,
      fc.array(text, { minLength: 3, maxLength: 3 }),
      (source, given, texts) => {
        const expression = new RegExp(source, given.replace('g', ''));
        if (linearSyntax(expression) !== undefined) linear += 1;
        const test = textPattern(new RegExp(source, given));
        for (const each of texts)
          expect([source, given, each, test(each)]).toEqual([source, given, each, expression.test(each)]);
      },
    );
    const numRuns = randomRuns(3_000);
    fc.assert(property, { numRuns });
    // A property that is never put to the test holds as well.
    expect(linear).toBeGreaterThan(numRuns / 2);
  });

  it.each(['^(a+)+$', '(a|a)*b', '^(?:a*)*$', '(x+x+)+y', '^(\\w+\\s?)*$', '(.*a){20}'])(
    'takes time in proportion to the text: %s',
    (source) => {
      const test = textPattern(new RegExp(source, 'u'));
      expect(test(`${'a'.repeat(20_000)}!`)).toBe(/a\)\{20\}/.test(source));
      expect(isBoundedByTime(new RegExp(source, 'u'))).toBe(false);
    },
  );

  it.each(['^(?=a)(a+)+$', '^(a+)+(?!a)!!$', '^(a+)+\\1b$'])('is stopped when its time is up: %s', (source) => {
    const test = textPattern(new RegExp(source));
    expect(isBoundedByTime(new RegExp(source))).toBe(true);
    expect(() => test(`${'a'.repeat(5_000)}!`)).toThrow(expect.objectContaining({ code: 'REQUEST_TOO_COSTLY' }));
    expect(test('ab')).toBe(new RegExp(source).test('ab'));
  });

  it('keeps its meaning where it has no linear form', () => {
    expect(textPattern(/^(?!draft).+$/)('paid, a long while ago')).toBe(true);
    expect(textPattern(/^(?!draft).+$/)('draft, a long while ago')).toBe(false);
    expect(textPattern(/^(.)\1+$/)('aaaaaaaaaaaaaaaaaaaa')).toBe(true);
    expect(textPattern('^[a-z]{1,2000}$')('a'.repeat(1500))).toBe(true);
  });
});
