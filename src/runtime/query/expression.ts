import type { ColumnType } from './column-type.ts';
import { type ConditionTree, isBranch } from './condition-tree.ts';

/** A part of a date that expressions can take out. */
export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'weekday' | 'day' | 'hour';

/**
 * A value worked out of the fields of a record, by the database where it can. Plain data, so that it can be written as
 * JSON; fields are names, or paths `relation:field` through to-one relations. `Path` is which of them the expression names.
 */
export type Expression<Path extends string = string> =
  | { readonly field: Path }
  | { readonly value: string | number | boolean | null }
  | { readonly concat: readonly Expression<Path>[] }
  | { readonly add: readonly Expression<Path>[] }
  | { readonly subtract: readonly [Expression<Path>, Expression<Path>] }
  | { readonly multiply: readonly Expression<Path>[] }
  | { readonly divide: readonly [Expression<Path>, Expression<Path>] }
  | { readonly coalesce: readonly Expression<Path>[] }
  | { readonly case: readonly ExpressionBranch<Path>[]; readonly else?: Expression<Path> }
  | { readonly jsonPath: JsonPath<Path> }
  | { readonly datePart: { readonly part: DatePart; readonly field: Path } };

/** The result of an expression when a condition holds. */
export interface ExpressionBranch<Path extends string = string> {
  readonly when: ConditionTree;
  readonly then: Expression<Path>;
}

/** A value inside a document: keys of objects, and positions in lists from 0. */
interface JsonPath<Path extends string = string> {
  readonly field: Path;
  readonly path: readonly (string | number)[];
  /** The type that the value must have; any other value is null. Default: the type of the field, `String` further inside. */
  readonly type?: ColumnType;
}

export type ArithmeticOperator = 'add' | 'subtract' | 'multiply' | 'divide';

/** The arithmetic of an expression, or `undefined` when it is another kind of expression. */
export function arithmeticOf(
  expression: Expression,
): { readonly operator: ArithmeticOperator; readonly operands: readonly Expression[] } | undefined {
  if ('add' in expression) return { operator: 'add', operands: expression.add };
  if ('subtract' in expression) return { operator: 'subtract', operands: expression.subtract };
  if ('multiply' in expression) return { operator: 'multiply', operands: expression.multiply };
  return 'divide' in expression ? { operator: 'divide', operands: expression.divide } : undefined;
}

/** Every path that an expression reads, each once. */
export function expressionFields(expression: Expression): readonly string[] {
  const paths = new Set<string>();
  mapExpressionFields(expression, (path) => {
    paths.add(path);
    return path;
  });
  return [...paths];
}

/** The same expression on other paths, and with what `conditionOf` makes of its conditions. */
export function mapExpressionFields(
  expression: Expression,
  pathOf: (path: string) => string,
  conditionOf: (tree: ConditionTree) => ConditionTree = (tree) => tree,
): Expression {
  const map = (inner: Expression) => mapExpressionFields(inner, pathOf, conditionOf);
  if ('field' in expression) return { field: pathOf(expression.field) };
  if ('value' in expression) return expression;
  if ('concat' in expression) return { concat: expression.concat.map(map) };
  if ('coalesce' in expression) return { coalesce: expression.coalesce.map(map) };
  if ('jsonPath' in expression)
    return { jsonPath: { ...expression.jsonPath, field: pathOf(expression.jsonPath.field) } };
  if ('datePart' in expression)
    return { datePart: { ...expression.datePart, field: pathOf(expression.datePart.field) } };
  if ('case' in expression) {
    const branches = expression.case.map((branch) => {
      const when = mapConditionFields(conditionOf(branch.when), pathOf);
      // biome-ignore lint/suspicious/noThenProperty: the counterpart of `when`, and no function.
      return { when, then: map(branch.then) };
    });
    return { case: branches, ...(expression.else ? { else: map(expression.else) } : {}) };
  }
  const { operator, operands } = arithmeticOf(expression) ?? { operator: 'add', operands: [] };
  return { [operator]: operands.map(map) } as unknown as Expression;
}

/** The leaves of the conditions that an expression decides by. */
export function expressionConditions(expression: Expression): readonly ConditionTree[] {
  if ('case' in expression) {
    const inner = [...expression.case.map((branch) => branch.then), ...(expression.else ? [expression.else] : [])];
    return [...expression.case.map((branch) => branch.when), ...inner.flatMap(expressionConditions)];
  }
  if ('concat' in expression) return expression.concat.flatMap(expressionConditions);
  if ('coalesce' in expression) return expression.coalesce.flatMap(expressionConditions);
  return arithmeticOf(expression)?.operands.flatMap(expressionConditions) ?? [];
}

function mapConditionFields(tree: ConditionTree, pathOf: (path: string) => string): ConditionTree {
  if (!isBranch(tree)) return { ...tree, field: pathOf(tree.field) };
  return {
    aggregator: tree.aggregator,
    conditions: tree.conditions.map((condition) => mapConditionFields(condition, pathOf)),
  };
}
