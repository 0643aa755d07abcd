import type { SqlRow } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { ColumnType } from '../../query/column-type.ts';
import { insideBrackets, isSign, isWord, type SqlToken, sqlTokens } from '../checks/sql-tokens.ts';
import type { TableCheck } from '../checks/table-check.ts';
import type { ColumnDescription } from '../tables/table-description.ts';
import { viewColumnTypes } from './sqlite-view-columns.ts';

/** Describe the columns of one table or view from its rows of `pragma_table_xinfo` and the SQL that created it. */
export function describeColumns(rows: readonly SqlRow[], createSql: string, isView: boolean): ColumnDescription[] {
  const enums = isView ? new Map<string, readonly string[]>() : checkEnums(createSql);
  const viewTypes = isView ? viewColumnTypes(createSql) : [];
  const keySize = rows.filter((row) => row['pk'] !== 0).length;
  const isAutoIncrement = /\bautoincrement\b/i.test(createSql);
  return rows.map((row, index) => {
    const name = String(row['name']);
    const nativeType = String(row['type']);
    const enumValues = enums.get(name.toLowerCase());
    const { type, isExact } = neutralType(nativeType, enumValues, viewTypes[index]);
    // A lone INTEGER PRIMARY KEY is the row number, which SQLite fills in.
    const isRowNumber = keySize === 1 && row['pk'] === 1 && nativeType.toUpperCase() === 'INTEGER';
    const isGenerated = row['hidden'] === 2 || row['hidden'] === 3;
    const defaultSql = row['dflt_value'];
    const defaultValue = typeof defaultSql === 'string' ? literalDefault(defaultSql, type === 'Boolean') : undefined;
    return {
      name,
      nativeType,
      type,
      isExact,
      ...(type === 'Number' && !isExact && /real|floa|doub/i.test(nativeType) ? { hasInfinity: true } : {}),
      isNullable: row['notnull'] === 0 && !isRowNumber,
      isGenerated,
      ...(row['hidden'] === 2 ? { isVirtual: true } : {}),
      isAutoIncrement: isRowNumber && isAutoIncrement,
      hasDefault: isRowNumber || isGenerated || (defaultSql !== null && defaultSql !== undefined),
      ...(defaultValue === undefined || defaultValue === null ? {} : { defaultValue }),
      ...(enumValues && type === 'Enum' ? { enumValues } : {}),
    };
  });
}

function neutralType(
  nativeType: string,
  enumValues: readonly string[] | undefined,
  viewType: ColumnDescription['type'] | undefined,
): NeutralType {
  const declared = columnTypeOf(nativeType);
  if (enumValues && declared.type === 'String') return { type: 'Enum', isExact: false };
  if (nativeType === '' && viewType) return { type: viewType, isExact: false };
  return declared;
}

/** The value of a default's SQL text when it is a literal; `undefined` when it is an expression. */
function literalDefault(sql: string, isBoolean: boolean): unknown {
  const text = sql.trim();
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return isBoolean ? Number(text) !== 0 : Number(text);
  if (/^'(?:[^']|'')*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  const word = text.toUpperCase();
  if (word === 'TRUE' || word === 'FALSE') return word === 'TRUE';
  return word === 'NULL' ? null : undefined;
}

/**
 * The columns of a table that a check limits to a list of texts, by lower-case name:
 * `CHECK (status IN ('open', 'paid'))`, also with `OR status IS NULL`.
 */
export function checkEnums(createTable: string): ReadonlyMap<string, readonly string[]> {
  const tokens = sqlTokens(createTable);
  const enums = new Map<string, readonly string[]>();
  tokens.forEach((token, index) => {
    if (!isWord(token, 'CHECK') || !isSign(tokens[index + 1], '(')) return;
    const found = limitOf(unwrap(insideBrackets(tokens, index + 1)));
    if (found) enums.set(found.column.toLowerCase(), found.values);
  });
  return enums;
}

/** Outer brackets say nothing. */
function unwrap(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const inner = isSign(tokens[0], '(') ? insideBrackets(tokens, 0) : undefined;
  return inner && inner.length === tokens.length - 2 ? unwrap(inner) : tokens;
}

/** `a IS NULL OR a IN (…)` and `a IN (…) OR a IS NULL` come to `a IN (…)`; whether another column is null is another matter. */
function limitOf(tokens: readonly SqlToken[]): { column: string; values: string[] } | undefined {
  const [first] = tokens;
  const end = tokens.length;
  if (isWord(tokens[1], 'IS') && isWord(tokens[2], 'NULL') && isWord(tokens[3], 'OR')) {
    return limitOn(first, membershipTest(unwrap(tokens.slice(4))));
  }
  if (isWord(tokens[end - 4], 'OR') && isWord(tokens[end - 2], 'IS') && isWord(tokens[end - 1], 'NULL')) {
    return limitOn(tokens[end - 3], membershipTest(unwrap(tokens.slice(0, end - 4))));
  }
  return membershipTest(tokens);
}

function limitOn<Limit extends { column: string }>(
  column: SqlToken | undefined,
  limit: Limit | undefined,
): Limit | undefined {
  return column?.text.toLowerCase() === limit?.column.toLowerCase() ? limit : undefined;
}

function membershipTest(tokens: readonly SqlToken[]): { column: string; values: string[] } | undefined {
  const [column, word, open] = tokens;
  if (column?.kind !== 'name' || !isWord(word, 'IN') || !isSign(open, '(')) return undefined;
  const list = insideBrackets(tokens, 2);
  if (tokens.length !== list.length + 4 || list.length % 2 === 0) return undefined;
  const isList = list.every((token, index) => (index % 2 === 0 ? token.kind === 'string' : isSign(token, ',')));
  return isList
    ? { column: column.text, values: list.filter((t) => t.kind === 'string').map((t) => t.text) }
    : undefined;
}

interface NeutralType {
  readonly type: ColumnType;
  readonly isExact: boolean;
}

const inexact = (type: ColumnType): NeutralType => ({ type, isExact: false });
const exactNumber: NeutralType = { type: 'Number', isExact: true };

const byName: Readonly<Record<string, NeutralType>> = {
  BIGINT: exactNumber,
  'UNSIGNED BIG INT': exactNumber,
  INT8: exactNumber,
  DECIMAL: exactNumber,
  NUMERIC: exactNumber,
  MONEY: exactNumber,
  BOOL: inexact('Boolean'),
  BOOLEAN: inexact('Boolean'),
  DATE: inexact('Dateonly'),
  DATETIME: inexact('Date'),
  TIMESTAMP: inexact('Date'),
  'TIMESTAMP WITH TIME ZONE': inexact('Date'),
  TIMESTAMPTZ: inexact('Date'),
  TIME: inexact('Time'),
  JSON: inexact('Json'),
  JSONB: inexact('Json'),
  UUID: inexact('Uuid'),
  UNIQUEIDENTIFIER: inexact('Uuid'),
};

/** The neutral type of a declared SQLite type: by its name, else by SQLite's own affinity rules. */
export function columnTypeOf(declared: string): NeutralType {
  const name = declared
    .toUpperCase()
    .replace(/\s*\(.*\)/s, '')
    .trim();
  const known = byName[name];
  if (known) return known;
  if (name.includes('INT')) return inexact('Number');
  if (/CHAR|CLOB|TEXT|STRING|ENUM/.test(name) || name === '') return inexact('String');
  if (/BLOB|BINARY|BYTEA/.test(name)) return inexact('Binary');
  if (/REAL|FLOA|DOUB/.test(name)) return inexact('Number');
  return inexact('String');
}

/** Digits after the point of `DECIMAL(12,2)`; `undefined` when the type does not say. */
export function scaleOf(declared: string): number | undefined {
  const scale = /\(\s*\d+\s*,\s*(\d+)\s*\)/.exec(declared)?.[1];
  if (scale !== undefined) return Number(scale);
  return /^\s*(?:decimal|numeric)\s*\(\s*\d+\s*\)/i.test(declared) ? 0 : undefined;
}

/** No declared type: an exact number that is worked out in a query, as a text of its digits. */
export const exactTextType = 'exact text';

/** SQLite keeps the text that made a table, and its checks nowhere else. */
export function readSqliteChecks(connection: SqliteConnection): readonly TableCheck[] {
  const tables = connection.all("select name, sql from sqlite_schema where type = 'table' and sql is not null");
  return tables.flatMap((row) =>
    checksIn(String(row['sql'])).map((text) => ({
      schema: null,
      table: String(row['name']),
      text,
      hasBracketNames: true,
    })),
  );
}

function checksIn(createTable: string): readonly string[] {
  const tokens = sqlTokens(createTable);
  return tokens.flatMap((token, index) => {
    const open = tokens[index + 1];
    if (!isWord(token, 'CHECK') || !open || !isSign(open, '(')) return [];
    const close = tokens[index + 2 + insideBrackets(tokens, index + 1).length];
    return [createTable.slice(open.start + 1, close?.start)];
  });
}

/** SQLite keeps a type with each value of such a column. */
export function isUntyped({ type, nativeType }: Pick<ColumnDescription, 'type' | 'nativeType'>): boolean {
  return type === 'String' && /^(?:any)?$/i.test(nativeType);
}

/** Whether SQLite makes a number of a text that looks like one: `007` becomes 7. Its rules look for parts of the type's name. */
export function makesNumbers({ type, nativeType }: ColumnDescription): boolean {
  return (type === 'String' || type === 'Enum') && nativeType !== '' && !/CHAR|CLOB|TEXT|BLOB/i.test(nativeType);
}

const fromYear1000 = 2_086_302.5;
const toYear3000 = 2_816_787.5;

/**
 * What the numbers of a sample stand for, where all of it are such. It is unclear where texts stand beside them, or numbers of two kinds:
 * seconds that lie behind the year 9999 beside others.
 */
export function sampledInstants(
  sample: readonly unknown[],
): Pick<ColumnDescription, 'instantForm' | 'isInstantUnclear'> {
  const numbers = sample.filter((value) => typeof value === 'number');
  if (numbers.length === 0) return {};
  if (numbers.length < sample.length) return { isInstantUnclear: true };
  const isOf = (test: (number: number) => boolean) => numbers.every(test);
  if (isOf((number) => number > fromYear1000 && number < toYear3000 && !Number.isSafeInteger(number / 1000))) {
    return { instantForm: 'julianDays' };
  }
  const large = numbers.filter((number) => Math.abs(number) >= 253_402_300_800).length;
  const instantForm = isOf(Number.isInteger) && large * 2 > numbers.length ? 'milliseconds' : 'seconds';
  return { instantForm, ...(large > 0 && large < numbers.length ? { isInstantUnclear: true } : {}) };
}
