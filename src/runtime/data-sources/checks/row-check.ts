import { readExpression, type SqlExpression } from './sql-expression.ts';
import { sqlTokens } from './sql-tokens.ts';
import type { CheckText } from './table-check.ts';

/** A rule of a table on the values of each of its rows. */
export interface RowCheck {
  /** As the database says it. */
  readonly text: string;
  /** The columns that it names; of a rule that cannot be read, all its words. */
  readonly columns: readonly string[];
  /** The patterns that it compares texts with. */
  readonly patterns: readonly RegExp[];
  /** The numbers and texts in it: values at the edge of what it allows, and lengths. */
  readonly constants: readonly (number | string)[];
  /** Whether a row keeps the rule; `null` as in SQL, where a value that it needs is null. `undefined` for a rule that cannot be read. */
  readonly holds: ((row: Readonly<Record<string, unknown>>) => boolean | null) | undefined;
}

/** Read a check of SQLite, PostgreSQL, MariaDB or MySQL: comparisons, ranges, lists, lengths, patterns, and sums of these. */
export function readCheck(check: CheckText): RowCheck {
  const { text } = check;
  const columns = new Set<string>();
  const constants: (number | string)[] = [];
  const patterns: RegExp[] = [];
  const expression: SqlExpression | undefined = readExpression(check, { columns, constants, patterns });
  if (!expression) return { text, ...namedIn(check), patterns, holds: undefined };
  return { text, columns: [...columns], constants, patterns, holds: (row) => truthOf(expression(row)) };
}

/** What may be columns and values in a check that is not understood. */
function namedIn({ text, valueColumn, hasBracketNames }: CheckText): Pick<RowCheck, 'columns' | 'constants'> {
  const tokens = sqlTokens(text, { hasBracketNames: hasBracketNames === true });
  const names = tokens.filter(({ kind }) => kind === 'name').map((token) => token.text);
  return {
    columns: [...new Set(valueColumn === undefined ? names : [...names, valueColumn])],
    constants: tokens
      .filter(({ kind }) => kind === 'string' || kind === 'number')
      .map((token) => (token.kind === 'number' ? Number(token.text) : token.text)),
  };
}

function truthOf(value: unknown): boolean | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}
