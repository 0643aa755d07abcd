import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { dayPattern, instantPattern } from '../../query/json-path.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { type DocumentKind, jsonPathText, type SqlExpressions, type SqlOperand } from '../sql/sql-expressions.ts';
import { slot } from '../sql/statement-parameters.ts';
import { localTime } from './mariadb-aggregates.ts';
import { exactListText } from './mariadb-column-expressions.ts';
import { storageOf } from './mariadb-native-type.ts';
import { withoutZero } from './mariadb-zero-dates.ts';

const signs = { add: sql`+`, subtract: sql`-`, multiply: sql`*` } as const;
/** Digits after the point that are kept of a floating-point number that meets an exact one. */
const looseScale = 30;
/** The declared digits before the point. They leave room for comparisons with values that have more digits behind it. */
const wholeDigits = 38;

const parts = {
  year: (date: Sql) => sql`year(${date})`,
  quarter: (date: Sql) => sql`quarter(${date})`,
  month: (date: Sql) => sql`month(${date})`,
  week: (date: Sql) => sql`week(${date}, 3)`,
  weekday: (date: Sql) => sql`(weekday(${date}) + 1)`,
  day: (date: Sql) => sql`day(${date})`,
  hour: (date: Sql) => sql`hour(${date})`,
};

export const mariadbExpressions: SqlExpressions = {
  nativeTypeOf(type) {
    switch (type.kind) {
      case 'Boolean':
        return 'tinyint(1)';
      case 'Date':
        return 'datetime(6)';
      case 'Dateonly':
        return 'date';
      case 'Json':
        return 'json';
      case 'Number':
        return type.isExact
          ? `decimal(${Math.min(65, wholeDigits + storedScale(type))},${storedScale(type)})`
          : 'double';
      default:
        return 'longtext';
    }
  },
  fieldOf,
  text: (value) => exactListText(sql`${slot(() => value)}`),
  boolean: (value) => (value ? sql`(1 = 1)` : sql`(1 = 0)`),
  asText(operand) {
    const { kind, isExact } = operand.type;
    if (kind === 'Number') return exactListText(isExact ? exactText(operand) : plainText(operand.sql));
    if (kind === 'Boolean') return exactListText(sql`case ${operand.sql} when 1 then 'true' when 0 then 'false' end`);
    return kind === 'Dateonly' ? exactListText(sql`cast(${operand.sql} as char)`) : operand.sql;
  },
  concat: (texts) => sql`concat(${sql.join(texts.map((text) => sql`ifnull(${text}, '')`))})`,
  asDouble: ({ sql: number }) => sql`(${number} + 0e0)`,
  asExact,
  exactArithmetic: (operator, a, b) => sql`(${a} ${signs[operator]} ${b})`,
  finishExact: (number, type) => sql`cast(${number} as decimal(65, ${sql.lit(storedScale(type))}))`,
  jsonPath: valueAt,
  datePart: (column, reference, part) => sql`(${parts[part](localTime(column, reference))} + 0e0)`,
};

/** Texts in one character set and one collation: no two columns need have the same. */
function fieldOf(column: ColumnSchema, reference: Sql): Sql {
  const storage = storageOf(column);
  switch (column.type) {
    case 'Number':
      return storage === 'bit' || storage === 'year' ? sql`(${reference} + 0)` : reference;
    case 'Boolean':
      return sql`(${reference} <> 0)`;
    case 'Date':
    case 'Dateonly':
      return withoutZero(column, reference);
    default:
      return exactListText(storage === 'text' ? reference : sql`cast(${reference} as char)`);
  }
}

function asExact({ sql: number, type, column, digits }: SqlOperand): Sql {
  if (digits !== undefined) return exactConstant(digits);
  // Reckoned with as it is, an integer would be held to 64 bits.
  if (column !== undefined && storageOf(column) === 'integer') return sql`cast(${number} as decimal(20, 0))`;
  return type.isExact ? number : decimalOf(number);
}

function exactConstant(digits: string): Sql {
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const size = sql.lit(Math.min(65, whole.length + fraction.length));
  return sql`cast(${sql.raw(`(${digits})`)} as decimal(${size}, ${sql.lit(Math.min(fraction.length, looseScale))}))`;
}

/** Converts by the digits that a floating-point number is written with. */
function decimalOf(double: Sql): Sql {
  return sql`cast(cast(${double} as char) as decimal(65, ${sql.lit(looseScale)}))`;
}

/** A floating-point number without an exponent and without zeros at its end. */
function plainText(double: Sql): Sql {
  return sql`trim(trailing '.' from trim(trailing '0' from cast(${decimalOf(double)} as char)))`;
}

/** With the digits that the type has, and no zeros at the end beyond them. */
function exactText(operand: SqlOperand): Sql {
  const { type } = operand;
  const { scale = 0 } = type;
  const stored = sql`cast(cast(${asExact(operand)} as decimal(65, ${sql.lit(storedScale(type))})) as char)`;
  if (storedScale(type) === scale) return stored;
  if (scale === 0) return sql`trim(trailing '.' from trim(trailing '0' from ${stored}))`;
  const kept = sql`locate('.', ${stored}) + ${sql.lit(scale)}`;
  return sql`concat(left(${stored}, ${kept}), trim(trailing '0' from substr(${stored}, ${kept} + 1)))`;
}

function storedScale({ isLoose, scale }: SqlOperand['type']): number {
  return isLoose || scale === undefined ? looseScale : Math.min(scale, looseScale);
}

/** Positions are those of lists: the server also takes what is not a list for a list of one. */
function valueAt(document: Sql, path: readonly (string | number)[], kind: DocumentKind): Sql {
  const at = (steps: readonly (string | number)[]) =>
    sql`json_extract(${document}, ${slot(() => jsonPathText(steps))})`;
  const value = at(path);
  const isInLists = path.flatMap((step, index) =>
    typeof step === 'number' ? [sql`json_type(${at(path.slice(0, index))}) = 'ARRAY'`] : [],
  );
  const isA = (...types: readonly string[]) =>
    sql.join([...isInLists, sql`json_type(${value}) in (${sql.join(types.map((type) => sql.lit(type)))})`], sql` and `);
  const text = exactListText(sql`json_unquote(${value})`);
  const matches = (pattern: string) => sql`${text} regexp ${slot(() => `^${pattern}\\z`)}`;
  switch (kind) {
    case 'Boolean':
      return sql`case when ${isA('BOOLEAN')} then ${text} = 'true' end`;
    case 'Number':
      return sql`case when ${isA('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL')} then ${text} + 0e0 end`;
    case 'String':
      return sql`case when ${isA('STRING')} then ${text} end`;
    case 'Date':
      return sql`case when ${isA('STRING')} and ${matches(instantPattern)} then cast(replace(replace(${text}, 'T', ' '), 'Z', '') as datetime(6)) end`;
    case 'Dateonly':
      return sql`case when ${isA('STRING')} and ${matches(dayPattern)} then cast(${text} as date) end`;
    case 'Json':
      return sql`case when ${sql.join([...isInLists, sql`json_type(${value}) <> 'NULL'`], sql` and `)} then ${value} end`;
  }
}
