import type { ColumnType } from '../../query/column-type.ts';
import { insideBrackets, isSign, isWord, type SqlToken, sqlTokens } from '../checks/sql-tokens.ts';

const functionTypes: Readonly<Record<string, ColumnType>> = {
  ABS: 'Number',
  AVG: 'Number',
  COUNT: 'Number',
  DATE: 'Dateonly',
  DATETIME: 'Date',
  JSON_ARRAY: 'Json',
  JSON_GROUP_ARRAY: 'Json',
  JSON_GROUP_OBJECT: 'Json',
  JSON_OBJECT: 'Json',
  JULIANDAY: 'Number',
  LENGTH: 'Number',
  RANK: 'Number',
  ROUND: 'Number',
  ROW_NUMBER: 'Number',
  SUM: 'Number',
  TOTAL: 'Number',
  UNIXEPOCH: 'Number',
};
const arithmetic = new Set(['+', '-', '*', '/', '%']);

/**
 * Types of the computed columns of a view, by position, as far as their expression tells: SQLite itself gives such a
 * column no type.
 */
export function viewColumnTypes(createView: string): readonly (ColumnType | undefined)[] {
  const tokens = sqlTokens(createView);
  const start = tokens.findIndex((token) => isWord(token, 'SELECT'));
  // With a leading WITH the first SELECT is not the outermost one.
  if (start === -1 || tokens.slice(0, start).some((token) => isWord(token, 'WITH'))) return [];
  const selected = selectedExpressions(tokens.slice(start + 1));
  // A star stands for any number of columns: what comes after it has no known position.
  const star = selected.findIndex((expression) => isSign(expression.at(-1), '*'));
  return (star === -1 ? selected : selected.slice(0, star)).map(expressionType);
}

function selectedExpressions(tokens: readonly SqlToken[]): SqlToken[][] {
  const expressions: SqlToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0 && isWord(token, 'FROM')) break;
    if (isSign(token, '(')) depth += 1;
    if (isSign(token, ')')) depth -= 1;
    if (depth === 0 && isSign(token, ',')) expressions.push([]);
    else expressions.at(-1)?.push(token);
  }
  return expressions;
}

function expressionType(tokens: readonly SqlToken[]): ColumnType | undefined {
  const [first, second] = tokens;
  const isCall = first?.kind === 'name' && isSign(second, '(');
  if (!isCall) return isOfUnknownType(tokens) ? undefined : numberOf(first?.kind === 'number' || hasArithmetic(tokens));
  const inner = insideBrackets(tokens, 1);
  const rest = tokens.slice(inner.length + 3);
  if (isOfUnknownType(rest)) return undefined;
  if (hasArithmetic(rest)) return 'Number';
  const name = first.text.toUpperCase();
  if (name === 'COALESCE' || name === 'IFNULL') return expressionType(inner);
  return functionTypes[name];
}

function numberOf(isNumber: boolean): ColumnType | undefined {
  return isNumber ? 'Number' : undefined;
}

function hasArithmetic(tokens: readonly SqlToken[]): boolean {
  return tokens.some((token, index) => {
    if (token.kind !== 'sign' || !arithmetic.has(token.text)) return false;
    return !(token.text === '*' && isSign(tokens[index - 1], '('));
  });
}

/** Whether an expression may give any type, whatever signs of arithmetic it holds: `||`, `->` and `case` do. */
function isOfUnknownType(tokens: readonly SqlToken[]): boolean {
  return tokens.some(
    (token, index) =>
      isWord(token, 'CASE') || isSign(token, '|') || (isSign(token, '-') && isSign(tokens[index + 1], '>')),
  );
}
