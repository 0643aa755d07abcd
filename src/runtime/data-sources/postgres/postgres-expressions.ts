import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { dayPattern, instantPattern } from '../../query/json-path.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { type DocumentKind, jsonPathText, type SqlExpressions, type SqlOperand } from '../sql/sql-expressions.ts';
import { slot } from '../sql/statement-parameters.ts';
import { localTime } from './postgres-aggregates.ts';
import { asText, comparable } from './postgres-conditions.ts';
import { familyOf } from './postgres-native-type.ts';

const signs = { add: sql`+`, subtract: sql`-`, multiply: sql`*` } as const;

const parts = {
  year: sql`year`,
  quarter: sql`quarter`,
  month: sql`month`,
  week: sql`week`,
  weekday: sql`isodow`,
  day: sql`day`,
  hour: sql`hour`,
} as const;

export const postgresExpressions: SqlExpressions = {
  nativeTypeOf({ kind, isExact, scale }) {
    switch (kind) {
      case 'Boolean':
        return 'boolean';
      case 'Date':
        return 'timestamp with time zone';
      case 'Dateonly':
        return 'date';
      case 'Json':
        return 'jsonb';
      case 'Number':
        if (!isExact) return 'double precision';
        return scale === undefined ? 'numeric' : `numeric(1000,${scale})`;
      default:
        return 'text';
    }
  },
  fieldOf,
  text: (value) => sql`${slot(() => value)}::text`,
  boolean: (value) => sql`${sql.raw(String(value))}::boolean`,
  asText(operand) {
    const { kind, isExact } = operand.type;
    if (kind === 'Number' && isExact) return sql`${finishExact(asExact(operand), operand.type)}::text`;
    // Without an exponent, which the text of a double may have.
    if (kind === 'Number') return sql`${operand.sql}::text::numeric::text`;
    if (kind === 'Dateonly') return sql`to_char(${operand.sql}, 'YYYY-MM-DD')`;
    return sql`${operand.sql}::text`;
  },
  // Columns may have collations of their own, which would contradict one another.
  concat: (texts) => sql`concat(${sql.join(texts)}) collate "C"`,
  asDouble: ({ sql: number }) => sql`${number}::double precision`,
  asExact,
  exactArithmetic: (operator, a, b) => sql`(${a} ${signs[operator]} ${b})`,
  finishExact,
  jsonPath: valueAt,
  textCandidate: (document, path) => ({
    value: textAt(document, path),
    // A comparison would count as rare, and the planner would expect next to no rows.
    isValue: sql`case jsonb_typeof(${documentAt(document, path)}) when 'string' then true end`,
  }),
  datePart: (column, reference, part) =>
    sql`extract(${parts[part]} from ${localTime(column, reference)})::double precision`,
};

function fieldOf(column: ColumnSchema, reference: Sql): Sql {
  switch (column.type) {
    case 'Number':
      return comparable({ column, reference });
    case 'Date':
      return familyOf(column) === 'timestamp' ? sql`(${reference} at time zone 'UTC')` : reference;
    case 'Boolean':
    case 'Dateonly':
      return reference;
    default:
      return sql`(${asText({ column, reference })} collate "C")`;
  }
}

function asExact({ sql: number, type, digits }: SqlOperand): Sql {
  if (digits !== undefined) return sql.raw(`(${digits})::numeric`);
  return type.isExact ? sql`${number}::numeric` : sql`${number}::text::numeric`;
}

function finishExact(number: Sql, { scale, isLoose }: SqlOperand['type']): Sql {
  if (scale === undefined) return number;
  const digits = sql.lit(scale);
  return isLoose ? sql`round(${number}, greatest(min_scale(${number}), ${digits}))` : sql`round(${number}, ${digits})`;
}

function valueAt(document: Sql, path: readonly (string | number)[], kind: DocumentKind): Sql {
  const value = documentAt(document, path);
  const text = textAt(document, path);
  const isA = (type: string) => sql`jsonb_typeof(${value}) = ${sql.lit(type)}`;
  const matches = (pattern: string) => sql`${text} ~ ${slot(() => `^${pattern}$`)}::text`;
  switch (kind) {
    case 'Boolean':
      return sql`case when ${isA('boolean')} then ${value}::boolean end`;
    case 'Number':
      return sql`case when ${isA('number')} then ${value}::double precision end`;
    case 'String':
      return sql`case when ${isA('string')} then ${text} end collate "C"`;
    case 'Date':
      return sql`case when ${isA('string')} and ${matches(instantPattern)} then ${text}::timestamptz end`;
    case 'Dateonly':
      return sql`case when ${isA('string')} and ${matches(dayPattern)} then ${text}::date end`;
    case 'Json':
      return sql`nullif(${value}, 'null')`;
  }
}

/** Keys are spelt out, so that an index on the same expression serves. */
function documentAt(document: Sql, path: readonly (string | number)[]): Sql {
  if (path.every((step) => typeof step === 'string')) {
    return path.reduce((holder, key) => sql`(${holder} -> ${sql.lit(key)}::text)`, sql`${document}::jsonb`);
  }
  // Strict: a key is never looked for in the items of a list. What is not there is no error.
  const steps = sql`${slot(() => `strict ${jsonPathText(path)}`)}::jsonpath`;
  return sql`jsonb_path_query_first(${document}::jsonb, ${steps}, '{}', true)`;
}

function textAt(document: Sql, path: readonly (string | number)[]): Sql {
  const key = path.at(-1);
  if (typeof key !== 'string') return sql`(${documentAt(document, path)} #>> '{}')`;
  return sql`(${documentAt(document, path.slice(0, -1))} ->> ${sql.lit(key)}::text)`;
}
