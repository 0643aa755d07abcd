import { expect, it } from 'vitest';
import { operatorProblem } from '#runtime/query/check-condition';

const count = { type: 'Number', operators: new Set(['Equal', 'GreaterThan', 'Match'] as const) } as const;

it.each<[unknown, 'wire' | 'code', string | undefined]>([
  ['GreaterThan', 'code', undefined],
  ['Match', 'code', undefined],
  [
    'GreaterThen',
    'code',
    'there is no operator "GreaterThen", the nearest one is "GreaterThan"; the field has Equal, GreaterThan, Match',
  ],
  [
    'greater_than',
    'code',
    'there is no operator "greater_than", the nearest one is "GreaterThan"; the field has Equal, GreaterThan, Match',
  ],
  ['greatr_than', 'code', 'there is no operator "greatr_than", the nearest one is "GreaterThan"'],
  [
    'greatr_than',
    'wire',
    'there is no operator "greatr_than", the nearest one is "greater_than"; the field has equal, greater_than',
  ],
  ['LessThan', 'code', 'the field does not support "LessThan"; the field has Equal, GreaterThan, Match'],
  ['Match', 'wire', 'the field does not support "match"; the field has equal, greater_than'],
  [undefined, 'code', 'there is no operator undefined; the field has'],
])('the operator %j of %s is reported with the nearest one and those of the field', (operator, origin, problem) => {
  const found = operatorProblem(count, operator, origin);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

it('a field without operators cannot be filtered', () => {
  expect(operatorProblem({ type: 'String', operators: new Set() }, 'Equal', 'code')).toBe(
    'the field cannot be filtered',
  );
});
