import fc from 'fast-check';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { memoryOperatorsOf } from '#runtime/data-sources/memory/memory-schema';
import type { ColumnSchema, ColumnType } from '#runtime/query/collection-schema';
import { type ConditionTree, isBranch } from '#runtime/query/condition-tree';
import { recordPredicate } from '#runtime/query/evaluate-condition';
import { inverseCondition } from '#runtime/query/inverse-condition';
import { completeOperators, rewriteLeaf } from '#runtime/query/operator-equivalence';
import { type Operator, operatorArguments, operatorNames } from '#runtime/query/operators';
import type { NeutralType } from '../data-source/tables.ts';
import { comparedValueOf, storedValueOf } from './value-arbitraries.ts';

const seed = process.env['DIFFERENTIAL_SEED'];
const seeded = seed === undefined ? {} : { seed: Number(seed) };

const types: readonly (readonly [ColumnType, NeutralType])[] = [
  ['String', 'text'],
  ['Number', 'integer'],
  ['Number', { decimal: [15, 3] }],
  ['Date', 'instant'],
  ['Dateonly', 'day'],
  ['Time', 'time'],
  ['Boolean', 'boolean'],
  ['Uuid', 'uuid'],
];

function columnOf(type: ColumnType, operators: ReadonlySet<Operator>): ColumnSchema {
  return {
    kind: 'column',
    name: 'x',
    type,
    nativeType: '',
    isPrimaryKey: false,
    isNullable: true,
    isReadOnly: false,
    isSortable: true,
    isGroupable: true,
    isExact: false,
    operators,
    hasDefault: false,
  };
}

const patterns = [/a/g, /^A/iy, /[%_]$/u, 'é'] as const;

/** Sources that know just enough to say the rest. */
const littleSources: readonly Operator[][] = [
  ['Match'],
  ['Match', 'Missing'],
  ['Equal'],
  ['In'],
  ['NotIn'],
  ['Like', 'ILike'],
  ['LessThan', 'GreaterThan', 'Equal'],
  ['Before', 'After', 'In', 'NotIn'],
  ['LessThanOrEqual', 'GreaterThanOrEqual', 'NotEqual'],
];

/** A leaf by any operator of the type, values to try it on, and the present. */
const example = fc.constantFrom(...types).chain(([type, neutral]) => {
  const value = comparedValueOf(neutral);
  const leaf = fc.constantFrom(...memoryOperatorsOf(type)).chain((operator) => {
    const argument = operatorArguments[operator];
    const compared =
      operator === 'Match'
        ? fc.constantFrom<unknown>(...patterns)
        : argument === 'none'
          ? fc.constant(null)
          : argument === 'number'
            ? fc.integer({ min: 1, max: 6 })
            : argument === 'list'
              ? fc.array(fc.option(value, { freq: 5 }), { maxLength: 4 })
              : operator === 'Equal' || operator === 'NotEqual'
                ? fc.option(value, { freq: 5 })
                : value;
    return compared.map((found) => ({ field: 'x', operator, value: found }));
  });
  return fc.record({
    type: fc.constant(type),
    leaf,
    supported: fc
      .oneof(fc.subarray([...memoryOperatorsOf(type)]), fc.constantFrom<Operator[]>(...littleSources))
      .map((operators) => new Set(operators)),
    values: fc.array(fc.option(storedValueOf(neutral), { freq: 5 }), { minLength: 1, maxLength: 12, size: 'max' }),
    now: fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2025, 0) }),
    timezone: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kolkata', 'America/New_York'),
  });
});

function operatorsIn(tree: ConditionTree): Operator[] {
  return isBranch(tree) ? tree.conditions.flatMap(operatorsIn) : [tree.operator];
}

/** Instants of the millisecond that a condition names. */
function microsecondsOf(type: ColumnType, value: unknown): string[] {
  if (type !== 'Date' || typeof value !== 'string') return [];
  return [value, value.replace(/(\.\d{3})(?=Z|\+)/, '$1456')];
}

describe('operators said by others', () => {
  it('use only what the source supports, and mean the same for every value, null included', () => {
    let rewritten = 0;
    fc.assert(
      fc.property(example, ({ type, leaf, supported, values, now, timezone }) => {
        const present = DateTime.fromMillis(now, { zone: timezone });
        // Where no value is null, more can be said.
        const isNullable = values.includes(null);
        const tree = rewriteLeaf(leaf, supported, { type, isNullable, now: present });
        expect(tree !== undefined).toBe(completeOperators(supported, type, isNullable).has(leaf.operator));
        if (!tree) return;
        rewritten += operatorsIn(tree).includes(leaf.operator) ? 0 : 1;
        expect(operatorsIn(tree).filter((operator) => !supported.has(operator))).toEqual([]);
        const column = columnOf(type, supported);
        const [meant, said] = [leaf, tree].map((condition) => recordPredicate(condition, () => column, present));
        for (const x of [...values, ...microsecondsOf(type, leaf.value)])
          expect([x, said?.({ x })]).toEqual([x, meant?.({ x })]);
      }),
      { numRuns: 5000, ...seeded },
    );
    expect(rewritten).toBeGreaterThan(100);
  });
});

describe('negated conditions', () => {
  it('hold for exactly the values for which the condition does not', () => {
    const invertible = new Set<Operator>(
      operatorNames.filter(
        (operator) => /Equal$|In$|Contains|Present|Blank|Missing/.test(operator) && !/Than/.test(operator),
      ),
    );
    let inverted = 0;
    fc.assert(
      fc.property(example, example, ({ type, leaf, values, now }, other) => {
        fc.pre(invertible.has(leaf.operator));
        const isSameType = other.type === type && invertible.has(other.leaf.operator);
        const tree: ConditionTree = isSameType ? { aggregator: 'And', conditions: [leaf, other.leaf] } : leaf;
        const column = columnOf(type, invertible);
        const present = DateTime.fromMillis(now, { zone: 'utc' });
        const holds = recordPredicate(tree, () => column, present);
        const fails = recordPredicate(inverseCondition(tree), () => column, present);
        for (const x of values) expect([x, fails({ x })]).toEqual([x, !holds({ x })]);
        inverted += 1;
      }),
      { numRuns: 1500, ...seeded },
    );
    expect(inverted).toBeGreaterThan(100);
  });
});
