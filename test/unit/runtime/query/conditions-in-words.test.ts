import { expect, it } from 'vitest';
import { ruleInWords } from '#runtime/query/conditions-in-words';
import { operatorArguments, operatorNames } from '#runtime/query/operators';

const argumentOf = { none: undefined, value: 'x', list: ['x', 'y'], number: 3 };

it.each(operatorNames)('%s is said without the name of an operator, and with its argument', (operator) => {
  const kind = operatorArguments[operator];
  const words = ruleInWords(operator, argumentOf[kind]);
  expect(words).toMatch(/^must [a-z].*[^.]$/);
  expect(words).not.toMatch(/[a-z][A-Z]|undefined|\[object/);
  if (kind !== 'none') expect(words).toContain(kind === 'number' ? '3' : 'x');
});

it.each([
  ['LongerThan', 1, undefined, 'must be longer than 1 character'],
  ['ShorterThan', 8, 'byte', 'must be shorter than 8 bytes'],
  ['Match', /^[a-z]+$/i, undefined, 'must match the pattern /^[a-z]+$/i'],
  ['In', ['open', 'paid'], undefined, 'must be one of "open", "paid"'],
  ['After', new Date(0), undefined, 'must be after 1970-01-01T00:00:00.000Z'],
  ['GreaterThan', 5, undefined, 'must be more than 5'],
] as const)('%s %j', (operator, value, unit, words) => {
  expect(ruleInWords(operator, value, unit)).toBe(words);
});
