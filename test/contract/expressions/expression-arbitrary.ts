import fc, { type Arbitrary } from 'fast-check';
import { when } from '#runtime/query/build-expression';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import type { Expression } from '#runtime/query/expression';
import { type ReachableColumn, treeOn } from '../differential/query-arbitrary.ts';
import { text } from '../differential/value-arbitraries.ts';

type Kind = 'Boolean' | 'Date' | 'Dateonly' | 'Number' | 'String';

const kinds = ['Boolean', 'Date', 'Dateonly', 'Number', 'String'] as const satisfies readonly Kind[];
const dateParts = ['year', 'quarter', 'month', 'week', 'weekday', 'day', 'hour'] as const;
const steps = fc.array(fc.constantFrom<string | number>('a', 'b', 'c', 'x y', 'é.1', 0, 1), {
  minLength: 1,
  maxLength: 3,
});

/** Which numbers an expression reckons with: floating-point ones only, or ones of which some are exact. */
type Numbers = 'double' | 'exact';

/** Expressions of every kind on the columns, each with the type that its field declares. */
export function expressionOn(columns: readonly ReachableColumn[]): Arbitrary<Expression> {
  const conditions = treeOn(columns, []);
  return fc
    .constantFrom(...kinds)
    .chain((kind) => fc.constantFrom<Numbers>('double', 'exact').chain((numbers) => ofKind(kind, numbers, 3)))
    .filter((expression) => !isAlwaysNull(expression));

  function ofKind(kind: Kind, numbers: Numbers, depth: number): Arbitrary<Expression> {
    const leaves = leavesOf(kind, numbers);
    if (depth === 0) return leaves;
    const inner = ofKind(kind, numbers, depth - 1);
    const composed = composedOf(kind, numbers, depth);
    return fc.oneof(
      { weight: 3, arbitrary: leaves },
      { weight: 2, arbitrary: fc.array(inner, { minLength: 1, maxLength: 3 }).map((coalesce) => ({ coalesce })) },
      { weight: 2, arbitrary: caseOf(inner) },
      ...(composed ? [{ weight: 6, arbitrary: composed }] : []),
    );
  }

  function caseOf(inner: Arbitrary<Expression>): Arbitrary<Expression> {
    const branch = fc.tuple(conditions, inner).map(([condition, value]) => when(condition, value));
    return fc.record({ case: fc.array(branch, { minLength: 1, maxLength: 2 }), else: inner });
  }

  function composedOf(kind: Kind, numbers: Numbers, depth: number): Arbitrary<Expression> | undefined {
    if (kind === 'Number') {
      const operand = ofKind('Number', numbers, depth - 1);
      const pair = fc.tuple(operand, operand);
      // No engine's decimals hold more than 65 digits.
      const factor = ofKind('Number', numbers, numbers === 'exact' ? 0 : depth - 1);
      return fc.oneof(
        pair.map((add) => ({ add })),
        pair.map((subtract) => ({ subtract })),
        fc.tuple(factor, factor).map((multiply) => ({ multiply })),
        ...(numbers === 'double' ? [pair.map((divide) => ({ divide }))] : []),
      );
    }
    if (kind !== 'String') return undefined;
    const part = fc
      .constantFrom<Kind>('Boolean', 'Dateonly', 'Number', 'String')
      .chain((inner) => ofKind(inner, numbers, inner === 'Number' ? 0 : depth - 1));
    return fc.array(part, { minLength: 1, maxLength: 4 }).map((concat) => ({ concat }));
  }

  function leavesOf(kind: Kind, numbers: Numbers): Arbitrary<Expression> {
    const fitting = columns.filter(({ column }) => isOf(column, kind, numbers)).map(({ path }) => ({ field: path }));
    const documents = columns.filter(({ column }) => column.type === 'Json').map(({ path }) => path);
    const dates = columns.filter(({ column }) => column.type === 'Date' || column.type === 'Dateonly');
    return fc.oneof(
      ...(fitting.length > 0 ? [{ weight: 4, arbitrary: fc.constantFrom<Expression>(...fitting) }] : []),
      ...(documents.length > 0 && (kind !== 'Number' || numbers === 'double')
        ? [
            {
              weight: 2,
              arbitrary: fc
                .tuple(fc.constantFrom(...documents), steps)
                .map(([field, path]): Expression => ({ jsonPath: { field, path, type: kind } })),
            },
          ]
        : []),
      ...(dates.length > 0 && kind === 'Number' && numbers === 'double'
        ? [{ weight: 2, arbitrary: datePartOf(dates.map(({ path }) => path)) }]
        : []),
      { weight: 1, arbitrary: constantOf(kind) },
    );
  }
}

/** Which is not an expression of any type. */
function isAlwaysNull(expression: Expression): boolean {
  if ('value' in expression) return expression.value === null;
  if ('coalesce' in expression) return expression.coalesce.every(isAlwaysNull);
  if (!('case' in expression)) return false;
  return (
    expression.case.every((branch) => isAlwaysNull(branch.then)) && isAlwaysNull(expression.else ?? { value: null })
  );
}

function datePartOf(fields: readonly string[]): Arbitrary<Expression> {
  const datePart = fc.record({ part: fc.constantFrom(...dateParts), field: fc.constantFrom(...fields) });
  return datePart.map((given) => ({ datePart: given }));
}

function isOf(column: ColumnSchema, kind: Kind, numbers: Numbers): boolean {
  if (kind === 'Number') return column.type === 'Number' && column.isExact === (numbers === 'exact');
  return column.type === kind || (kind === 'String' && (column.type === 'Enum' || column.type === 'Uuid'));
}

function constantOf(kind: Kind): Arbitrary<Expression> {
  const constants: Readonly<Record<Kind, Arbitrary<string | number | boolean | null>>> = {
    Boolean: fc.boolean(),
    Date: fc.constant(null),
    Dateonly: fc.constant(null),
    Number: fc.constantFrom(0, 1, 2, 0.5, -3, 0.25, 1.125),
    String: text,
  };
  return constants[kind].map((value) => ({ value }));
}
