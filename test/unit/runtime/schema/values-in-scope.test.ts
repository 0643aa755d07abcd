import { expect, it } from 'vitest';
import type { ConditionTree } from '../../../../src/runtime/query/condition-tree.ts';
import { valuesInScope } from '../../../../src/runtime/schema/values-in-scope.ts';

const values = ['draft', 'paid', 'shipped'];
const left = (scope: ConditionTree) => valuesInScope(values, 'status', scope);
const status = (operator: 'Equal' | 'In' | 'NotEqual' | 'NotIn' | 'Like', value: unknown) => ({
  field: 'status',
  operator,
  value,
});
const ofFrance = { field: 'country', operator: 'Equal', value: 'FR' } as const;

it('a scope leaves the values that its conditions on the field allow', () => {
  expect(left(status('Equal', 'paid'))).toEqual(['paid']);
  expect(left(status('In', ['paid', 'draft']))).toEqual(['draft', 'paid']);
  expect(left(status('NotEqual', 'paid'))).toEqual(['draft', 'shipped']);
  expect(left(status('NotIn', ['paid', 'draft']))).toEqual(['shipped']);
});

it('a scope on another field, or by a pattern, leaves all values', () => {
  expect(left(ofFrance)).toEqual(values);
  expect(left(status('Like', 'p%'))).toEqual(values);
});

it('a scope of several conditions leaves what all of them allow, or one of them', () => {
  const conditions = [status('NotEqual', 'draft'), ofFrance];
  expect(left({ aggregator: 'And', conditions })).toEqual(['paid', 'shipped']);
  expect(left({ aggregator: 'Or', conditions })).toEqual(values);
  expect(left({ aggregator: 'Or', conditions: [] })).toEqual([]);
});
