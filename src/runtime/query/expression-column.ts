import type { ColumnSchema, ColumnType } from './collection-schema.ts';
import type { Expression } from './expression.ts';
import { ExpressionProblem, expressionType } from './expression-type.ts';
import type { Operator } from './operators.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';

/**
 * An expression as a column that a data source is extended by.
 *
 * @param columnAt the column at the end of a path, seen from the collection of the expression.
 * @param operatorsOf what the data source can filter a type by.
 * @throws ExpressionProblem
 */
export function expressionColumn(
  name: string,
  expression: Expression,
  columnAt: ColumnLookup,
  operatorsOf: (type: ColumnType) => ReadonlySet<Operator>,
): ColumnSchema {
  const { kind, isExact, scale } = expressionType(expression, columnAt);
  if (kind === 'Null') throw new ExpressionProblem('is always null.');
  return {
    kind: 'column',
    name,
    type: kind,
    nativeType: '',
    isPrimaryKey: false,
    isNullable: true,
    isReadOnly: true,
    isSortable: kind !== 'Json',
    isGroupable: kind !== 'Json',
    isExact,
    ...(isExact && scale !== undefined ? { scale } : {}),
    operators: operatorsOf(kind),
    hasDefault: false,
    expression,
  };
}
