import { nearestName } from '#kernel/text/nearest-name';
import type { ColumnSchema } from './collection-schema.ts';
import {
  type Operator,
  operatorArguments,
  operatorFromWire,
  operatorNames,
  operatorsOfType,
  operatorToWire,
} from './operators.ts';

type FilteredColumn = Pick<ColumnSchema, 'type' | 'operators'>;

/** The origin of a condition: code may use every operator of a column, a request only those of the type too. */
export type ConditionOrigin = 'wire' | 'code';

/** The reason why an operator cannot be used on a column, with the operators that can; `undefined` when it can be used. */
export function operatorProblem(
  column: FilteredColumn,
  operator: unknown,
  origin: ConditionOrigin,
): string | undefined {
  if (typeof operator !== 'string' || !Object.hasOwn(operatorArguments, operator)) {
    return [unknownOperator(operator, origin), usable(column, origin)].join('');
  }
  const known = operator as Operator;
  const isRefusedByType = origin === 'wire' && !operatorsOfType(column.type).has(known);
  if (column.operators.has(known) && !isRefusedByType) return undefined;
  if (column.operators.size === 0) return 'the field cannot be filtered';
  return `the field does not support "${spelt(known, origin)}"${usable(column, origin)}`;
}

/** The problem of an unknown operator, with the nearest one, in either spelling. */
export function unknownOperator(spelling: unknown, origin: ConditionOrigin): string {
  const nearest = typeof spelling === 'string' ? nearestOperator(spelling) : undefined;
  const hint = nearest === undefined ? '' : `, the nearest one is "${spelt(nearest, origin)}"`;
  return `there is no operator ${JSON.stringify(spelling)}${hint}`;
}

function nearestOperator(spelling: string): Operator | undefined {
  const nearest = nearestName(spelling, operatorNames) ?? nearestName(spelling, operatorNames.map(operatorToWire));
  return operatorFromWire(spelling) ?? (nearest === undefined ? undefined : operatorFromWire(nearest));
}

function usable({ type, operators }: FilteredColumn, origin: ConditionOrigin): string {
  const ofType = operatorsOfType(type);
  const names = [...operators].filter((operator) => origin === 'code' || ofType.has(operator));
  return names.length === 0 ? '' : `; the field has ${names.map((name) => spelt(name, origin)).join(', ')}`;
}

function spelt(operator: Operator, origin: ConditionOrigin): string {
  return origin === 'wire' ? operatorToWire(operator) : operator;
}
