import { OperationNodeTransformer, sql, type ValueNode } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { decimalText, parseDecimal } from '../../query/exact-decimal.ts';
import { arithmeticOf, type Expression } from '../../query/expression.ts';
import { documentKindOf, type ExpressionType, expressionType } from '../../query/expression-type.ts';
import { compileConditions } from './compile-conditions.ts';
import { type ConditionColumns, conditionShape, type JoinedColumn } from './condition-shape.ts';
import { unplanned } from './related-tables.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';
import type { SqlOperand } from './sql-expressions.ts';
import type { BindContext, Slot } from './statement-parameters.ts';

/** The collection in which an expression finds its fields. */
export type FieldLookup = ConditionColumns['columnAt'];

/**
 * The column of an expression: its SQL, and the column that a table would have instead.
 *
 * @param marker null when the record that it belongs to is not there; no expression has a value then.
 */
export function compileExpressionColumn(
  column: ColumnSchema,
  expression: Expression,
  columnAt: FieldLookup,
  dialect: SqlDialect,
  marker: Sql | undefined,
): JoinedColumn {
  const { expressions } = dialect;
  const { sql: written, type } = createWriter(columnAt, dialect)(expression);
  const short = type.isExact ? expressions.shortForm?.(expression, columnAt) : undefined;
  const value = short?.sql ?? (type.isExact ? expressions.finishExact(written, type) : written);
  const present = marker ? sql`(case when ${marker} is not null then ${value} end)` : value;
  const { scale: _scale, ...rest } = column;
  return {
    column: {
      ...rest,
      nativeType: short?.nativeType ?? expressions.nativeTypeOf(type),
      isNullable: true,
      isExact: type.isExact,
      ...(type.scale === undefined || !type.isExact ? {} : { scale: type.scale }),
    },
    reference: short ? short.typed(present) : present,
    ...candidateOf(expression, columnAt, dialect),
  };
}

function candidateOf(
  expression: Expression,
  columnAt: FieldLookup,
  { expressions }: SqlDialect,
): Pick<JoinedColumn, 'candidate'> {
  if (!('jsonPath' in expression) || !expressions.textCandidate) return {};
  const { field, path, type = 'String' } = expression.jsonPath;
  if (documentKindOf(type) !== 'String') return {};
  return { candidate: expressions.textCandidate(columnAt(field).reference, path) };
}

function createWriter(columnAt: FieldLookup, dialect: SqlDialect): (expression: Expression) => SqlOperand {
  const { expressions } = dialect;
  const columns: ConditionColumns = {
    columnAt,
    toManyPart: () => '',
    related: (relationPath) => {
      throw unplanned(relationPath);
    },
  };

  function write(expression: Expression): SqlOperand {
    const type = expressionType(expression, (path) => columnAt(path).column);
    // An alternative that is null is of whatever type the others are.
    if (type.kind === 'Null') return { sql: sql`null`, type };
    if ('field' in expression) {
      const { column, reference } = columnAt(expression.field);
      return { sql: expressions.fieldOf(column, reference), type, column };
    }
    if ('value' in expression) {
      const { value } = expression;
      return { sql: constant(value, type), type, ...(typeof value === 'number' ? { digits: plainDigits(value) } : {}) };
    }
    return { sql: sql`(${writeComposed(expression, type)})`, type };
  }

  function writeComposed(
    expression: Exclude<Expression, { field: string } | { value: unknown }>,
    type: ExpressionType,
  ) {
    if ('concat' in expression) {
      return expressions.concat(expression.concat.map((part) => expressions.asText(write(part))));
    }
    if ('coalesce' in expression) {
      const parts = expression.coalesce.map((part) => inType(write(part), type));
      // SQLite takes no fewer than two.
      return sql`coalesce(${sql.join([...parts, sql`null`])})`;
    }
    if ('case' in expression) {
      const branches = expression.case.map((branch) => {
        const when = boundCondition(branch.when, columns, dialect);
        return sql` when ${when} then ${inType(write(branch.then), type)}`;
      });
      const otherwise = inType(write(expression.else ?? { value: null }), type);
      return sql`case${sql.join(branches, sql``)} else ${otherwise} end`;
    }
    if ('datePart' in expression) {
      const { column, reference } = columnAt(expression.datePart.field);
      return expressions.datePart(column, reference, expression.datePart.part);
    }
    if ('jsonPath' in expression) {
      const { field, path, type: valueType = 'String' } = expression.jsonPath;
      return expressions.jsonPath(columnAt(field).reference, path, documentKindOf(valueType));
    }
    return writeArithmetic(expression, type);
  }

  function writeArithmetic(expression: Expression, type: ExpressionType): Sql {
    const { operator, operands } = arithmeticOf(expression) ?? { operator: 'add', operands: [] };
    const written = operands.map(write);
    if (operator !== 'divide' && type.isExact) {
      return written.map(expressions.asExact).reduce((a, b) => expressions.exactArithmetic(operator, a, b));
    }
    return written.map(expressions.asDouble).reduce((a, b) => onDoubles[operator](a, b));
  }

  /** An alternative in the form that all of them have. */
  function inType(operand: SqlOperand, type: ExpressionType): Sql {
    if (type.kind !== 'Number' || operand.type.kind === 'Null') return operand.sql;
    return type.isExact ? expressions.asExact(operand) : expressions.asDouble(operand);
  }

  /** Never a bare one: an engine would sort by the column of that number, or refuse. */
  function constant(value: string | number | boolean | null, type: ExpressionType): Sql {
    if (value === null) return sql`null`;
    if (typeof value === 'string') return expressions.text(value);
    if (typeof value === 'boolean') return expressions.boolean(value);
    return expressions.asDouble({ sql: sql.raw(doubleLiteral(value)), type });
  }

  return write;
}

const onDoubles = {
  add: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  subtract: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  multiply: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  divide: (a: Sql, b: Sql) => sql`(${a} / nullif(${b}, 0))`,
};

/** With an exponent, so that no engine takes it for a decimal. */
function doubleLiteral(value: number): string {
  const text = String(value);
  return `(${text.includes('e') ? text : `${text}e0`})`;
}

function plainDigits(value: number): string {
  return decimalText(parseDecimal(value) ?? { units: 0n, scale: 0 });
}

/** A value that is null wherever a condition with values of its own does not hold. */
export function shownValue(value: Sql, shownWhere: ConditionTree, columns: ConditionColumns, dialect: SqlDialect): Sql {
  return sql`(case when ${boundCondition(shownWhere, columns, dialect)} then ${value} end)`;
}

function boundCondition(tree: ConditionTree, columns: ConditionColumns, dialect: SqlDialect): Sql {
  const condition = compileConditions(tree, columns, dialect);
  return withBoundConstants(condition ?? sql`1 = 1`, conditionShape(tree, dialect).values);
}

/** SQL whose slots take `values` instead of those of the query: the conditions of an expression have values of their own. */
function withBoundConstants(sql: Sql, values: readonly unknown[]): Sql {
  const contexts = new WeakMap<BindContext, BindContext>();
  const contextOf = (context: BindContext): BindContext => {
    const known = contexts.get(context) ?? { ...context, values };
    contexts.set(context, known);
    return known;
  };
  const bound = new ConstantBinder(contextOf).transformNode(sql.toOperationNode());
  return Object.assign(Object.create(sql), { toOperationNode: () => bound }) as Sql;
}

class ConstantBinder extends OperationNodeTransformer {
  readonly #contextOf: (context: BindContext) => BindContext;

  constructor(contextOf: (context: BindContext) => BindContext) {
    super();
    this.#contextOf = contextOf;
  }

  protected override transformValue(node: ValueNode): ValueNode {
    // A literal, which is written as it is.
    if (node.immediate) return node;
    const { bind } = node.value as Slot;
    return { ...node, value: { bind: (context) => bind(this.#contextOf(context)) } satisfies Slot };
  }
}
