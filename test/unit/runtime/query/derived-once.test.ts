import { describe, expect, it } from 'vitest';
import { type ConditionTree, frozenTree } from '#runtime/query/condition-tree';
import { derivedOnce } from '#runtime/query/plan-cache';

const right = { name: 'right' };

function countedSum() {
  let calls = 0;
  const sum = derivedOnce((left: { readonly value: number }, other: { readonly name: string }, offset: number) => {
    calls += 1;
    return Object.freeze({ text: `${other.name} ${left.value + offset}` });
  });
  return { sum, calls: () => calls };
}

describe('a derived value', () => {
  it('is kept for two objects when the first is frozen', () => {
    const { sum, calls } = countedSum();
    const left = Object.freeze({ value: 1 });
    expect(sum(left, right, 2)).toBe(sum(left, right, 2));
    expect(calls()).toBe(1);
    expect(sum(left, { name: 'another' }, 2)).toEqual({ text: 'another 3' });
    expect(sum(Object.freeze({ value: 1 }), right, 2)).toEqual({ text: 'right 3' });
    expect(calls()).toBe(3);
  });

  it('is kept for a few second objects of one first, and no more than that', () => {
    const { sum, calls } = countedSum();
    const left = Object.freeze({ value: 1 });
    const seconds = Array.from({ length: 100 }, (_, index) => ({ name: `${index}` }));
    for (const second of seconds) expect(sum(left, second, 2)).toBe(sum(left, second, 2));
    expect(calls()).toBe(100);
    for (const second of seconds) sum(left, second, 2);
    expect(calls()).toBeGreaterThanOrEqual(180);
  });

  it('is derived again where the first may have changed', () => {
    const { sum } = countedSum();
    const left = { value: 1 };
    expect(sum(left, right, 2)).toEqual({ text: 'right 3' });
    left.value = 5;
    expect(sum(left, right, 2)).toEqual({ text: 'right 7' });
  });

  it('is derived again where its result may have been changed', () => {
    const list = derivedOnce((_left: object, _right: object) => [1]);
    const left = Object.freeze({});
    list(left, right).push(2);
    expect(list(left, right)).toEqual([1]);
  });

  it('is not kept when it failed', () => {
    let isBroken = true;
    const text = derivedOnce((_left: object, _right: object) => {
      if (isBroken) throw new Error('broken');
      return 'fixed';
    });
    const left = Object.freeze({});
    expect(() => text(left, right)).toThrow('broken');
    isBroken = false;
    expect(text(left, right)).toBe('fixed');
  });
});

describe('a frozen tree', () => {
  const leaf = (value?: unknown): ConditionTree => ({ field: 'id', operator: 'Equal', value });
  const all = (...conditions: ConditionTree[]): ConditionTree => ({ aggregator: 'And', conditions });

  it('is frozen to its leaves', () => {
    const inner = all(leaf('a'), leaf(null));
    const tree = frozenTree(all(leaf(1), inner));
    for (const part of [tree, inner, ...('conditions' in inner ? [inner.conditions, ...inner.conditions] : [])]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it.each([
    ['a list', ['a', 'b']],
    ['bytes', new Uint8Array([1])],
  ])('is not touched where a condition compares with %s', (_name, value) => {
    const tree = all(leaf(1), all(leaf(value)));
    expect(frozenTree(tree)).toBe(tree);
    expect(Object.isFrozen(tree)).toBe(false);
  });
});
