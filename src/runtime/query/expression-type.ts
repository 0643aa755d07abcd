import type { ColumnSchema } from './collection-schema.ts';
import type { ColumnType } from './column-type.ts';
import { parseDecimal } from './exact-decimal.ts';
import { arithmeticOf, type Expression } from './expression.ts';
import { isListType } from './operators.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';

/** The types that an expression can use and result in. */
export type ExpressionKind = 'Boolean' | 'Date' | 'Dateonly' | 'Json' | 'Null' | 'Number' | 'String';

export interface ExpressionType {
  readonly kind: ExpressionKind;
  /** A number that loses no digit. */
  readonly isExact: boolean;
  /** Digits after the point of an exact number; absent when they differ from value to value. */
  readonly scale?: number | undefined;
  /** A floating-point number is part of an exact one: what it has beyond `scale` is kept, except for zeros at the end. */
  readonly isLoose: boolean;
  /** A number that is written in the expression, or made of such: it takes the kind of those it meets. */
  readonly isConstant: boolean;
}

/** The reason why an expression is invalid, to follow its name in a sentence. */
export class ExpressionProblem extends Error {}

/**
 * The type of an expression.
 *
 * @param columnAt the column at the end of a path.
 * @throws ExpressionProblem
 */
export function expressionType(expression: Expression, columnAt: ColumnLookup): ExpressionType {
  const typeOf = (inner: Expression) => expressionType(inner, columnAt);
  if ('field' in expression) return typeOfColumn(expression.field, columnAt(expression.field));
  if ('value' in expression) return typeOfConstant(expression.value);
  if ('concat' in expression) {
    for (const part of expression.concat) requireText(typeOf(part));
    return plain('String');
  }
  if ('coalesce' in expression) return commonType(expression.coalesce.map(typeOf));
  if ('case' in expression) {
    const otherwise = expression.else ? [typeOf(expression.else)] : [];
    return commonType([...expression.case.map((branch) => typeOf(branch.then)), ...otherwise]);
  }
  if ('datePart' in expression) return typeOfDatePart(expression.datePart.field, columnAt);
  if ('jsonPath' in expression) {
    const { field, type = 'String' } = expression.jsonPath;
    if (!holdsDocuments(columnAt(field).type))
      throw new ExpressionProblem(`reads a path of "${field}", which is not a document.`);
    return plain(documentKindOf(type));
  }
  return arithmeticType(expression, typeOf);
}

/** The type that a value inside a document is compared as. A type without a comparison of its own counts as a document. */
export function documentKindOf(type: ColumnType): Exclude<ExpressionKind, 'Null'> {
  switch (type) {
    case 'Boolean':
    case 'Date':
    case 'Dateonly':
    case 'Number':
    case 'String':
      return type;
    default:
      return type === 'Enum' ? 'String' : 'Json';
  }
}

function holdsDocuments(type: ColumnType): boolean {
  return type === 'Json' || (typeof type === 'object' && !isListType(type));
}

function arithmeticType(expression: Expression, typeOf: (inner: Expression) => ExpressionType): ExpressionType {
  const { operator, operands } = arithmeticOf(expression) ?? { operator: 'add', operands: [] };
  const types = operands.map(typeOf);
  const other = types.find(({ kind }) => kind !== 'Number' && kind !== 'Null');
  if (other) throw new ExpressionProblem(`reckons with a ${other.kind}.`);
  if (operator === 'divide' || !types.some(({ isExact, isConstant }) => isExact || isConstant)) return plain('Number');
  const counted = types.filter(({ isExact, isConstant }) => isExact || isConstant);
  return { ...exactType(types, counted, operator === 'multiply' ? sum : largest), kind: 'Number' };
}

/** All alternatives must be of one kind. An exact number among them makes all of them exact. */
function commonType(types: readonly ExpressionType[]): ExpressionType {
  const known = types.filter(({ kind }) => kind !== 'Null');
  const kinds = [...new Set(known.map(({ kind }) => kind))];
  const [kind] = kinds;
  if (kinds.length > 1) throw new ExpressionProblem(`is a ${kinds.join(' or a ')}, which is one too many.`);
  if (kind === undefined) return plain('Null');
  if (!known.some(({ isExact, isConstant }) => isExact || isConstant)) return plain(kind);
  const counted = known.filter(({ isExact, isConstant }) => isExact || isConstant);
  return { ...exactType(known, counted, largest), kind };
}

function exactType(
  types: readonly ExpressionType[],
  counted: readonly ExpressionType[],
  scaleOf: (scales: readonly number[]) => number,
): Omit<ExpressionType, 'kind'> {
  const scales = counted.flatMap(({ scale }) => scale ?? []);
  const isFloating = (type: ExpressionType) => type.kind === 'Number' && !type.isExact && !type.isConstant;
  const isExact = types.some((type) => type.isExact);
  if (!isExact && types.some(isFloating)) return { isExact: false, isLoose: false, isConstant: false };
  return {
    isExact,
    isLoose: types.some((type) => type.isLoose || isFloating(type)),
    isConstant: !isExact,
    ...(scales.length === counted.length ? { scale: scaleOf(scales) } : {}),
  };
}

function largest(scales: readonly number[]): number {
  return Math.max(0, ...scales);
}

function sum(scales: readonly number[]): number {
  return scales.reduce((total, scale) => total + scale, 0);
}

function typeOfColumn(path: string, { type, isExact, scale }: ColumnSchema): ExpressionType {
  switch (type) {
    case 'Number':
      return { kind: 'Number', isExact, isLoose: false, isConstant: false, ...(isExact ? { scale } : {}) };
    case 'Boolean':
    case 'Date':
    case 'Dateonly':
    case 'String':
      return plain(type);
    case 'Enum':
    case 'Uuid':
      return plain('String');
    default:
      throw new ExpressionProblem(
        `uses "${path}", whose type (${typeof type === 'string' ? type : 'a structure'}) has no expressions.`,
      );
  }
}

function typeOfConstant(value: unknown): ExpressionType {
  if (value === null) return plain('Null');
  if (typeof value === 'boolean') return plain('Boolean');
  if (typeof value === 'string') return plain('String');
  return { ...plain('Number'), isConstant: true, scale: Math.max(0, parseDecimal(value)?.scale ?? 0) };
}

function typeOfDatePart(path: string, columnAt: ColumnLookup): ExpressionType {
  const { type } = columnAt(path);
  if (type !== 'Date' && type !== 'Dateonly')
    throw new ExpressionProblem(`takes a part of "${path}", which is not a date.`);
  return plain('Number');
}

function requireText({ kind }: ExpressionType): void {
  if (kind === 'Date' || kind === 'Json') throw new ExpressionProblem(`puts a ${kind} into a text.`);
}

function plain(kind: ExpressionKind): ExpressionType {
  return { kind, isExact: false, isLoose: false, isConstant: false };
}
