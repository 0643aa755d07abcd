import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import {
  type Candidate,
  type DocumentKind,
  jsonPathText,
  type SqlExpressions,
  type SqlOperand,
} from '../sql/sql-expressions.ts';
import { slot } from '../sql/statement-parameters.ts';
import { exactTextType } from './sqlite-columns.ts';
import { instant } from './sqlite-conditions.ts';
import { smallDecimalForm } from './sqlite-decimals.ts';

/** Exact numbers are texts of their digits here: SQLite has no number that holds them. */
export const sqliteExpressions: SqlExpressions = {
  shortForm: smallDecimalForm,
  nativeTypeOf({ kind, isExact }) {
    switch (kind) {
      case 'Boolean':
        return 'boolean';
      case 'Date':
        return 'datetime';
      case 'Dateonly':
        return 'date';
      case 'Json':
        return 'json';
      case 'Number':
        return isExact ? exactTextType : 'double';
      default:
        return 'text';
    }
  },
  fieldOf(column, reference) {
    if (column.type === 'Date') return instant(reference, column.instantForm);
    return column.type === 'Dateonly' ? sql`substr(${reference}, 1, 10)` : reference;
  },
  text: (value) => sql`${slot(() => value)}`,
  boolean: (value) => (value ? sql`(1 = 1)` : sql`(1 = 0)`),
  asText(operand) {
    const { kind } = operand.type;
    if (kind === 'Boolean') return sql`case when ${operand.sql} then 'true' when not ${operand.sql} then 'false' end`;
    if (kind !== 'Number') return operand.sql;
    return operand.type.isExact ? finishExact(asExact(operand), operand.type) : asExact(operand);
  },
  concat: (texts) =>
    sql.join(
      texts.map((text) => sql`ifnull(${text}, '')`),
      sql` || `,
    ),
  asDouble: (operand) =>
    operand.type.isExact ? sql`exact_double(${asExact(operand)})` : sql`cast(${operand.sql} as real)`,
  asExact,
  exactArithmetic: (operator, a, b) => sql`${sql.raw(`exact_${operator}`)}(${a}, ${b})`,
  finishExact,
  jsonPath: valueAt,
  textCandidate,
  datePart: (column, reference, part) => {
    const zone = slot(({ now }) => now().zoneName ?? 'UTC');
    const value = column.type === 'Date' ? instant(reference, column.instantForm) : reference;
    return sql`date_part(${value}, ${sql.lit(part)}, ${zone})`;
  },
};

function asExact({ sql: number, type, column, digits }: SqlOperand): Sql {
  if (digits !== undefined) return sql.lit(digits);
  return type.isExact && !isStored(column)
    ? number
    : sql`exact_text(${number}, ${scaleOf(type.isExact ? column : undefined)})`;
}

/** Whether it is a column of a table, with a number in it and not yet its digits. */
function isStored(column: ColumnSchema | undefined): boolean {
  return column !== undefined && column.nativeType !== exactTextType;
}

function finishExact(number: Sql, { scale }: SqlOperand['type']): Sql {
  return scale === undefined ? number : sql`exact_scaled(${number}, ${sql.lit(scale)})`;
}

function scaleOf(column: ColumnSchema | undefined): Sql {
  return sql.lit(column?.scale ?? null);
}

/** A text that is not JSON, which SQLite lets a column hold, has nothing inside. */
function valueAt(document: Sql, path: readonly (string | number)[], kind: DocumentKind): Sql {
  const steps = slot(() => jsonPathText(path));
  const type = sql`json_type(${document}, ${steps})`;
  const value = sql`(${document} ->> ${steps})`;
  const text = inValid(document, sql`case ${type} when 'text' then ${value} end`);
  switch (kind) {
    case 'Boolean':
      return inValid(document, sql`case ${type} when 'true' then 1 when 'false' then 0 end`);
    case 'Number':
      return inValid(document, sql`case when ${type} in ('integer', 'real') then cast(${value} as real) end`);
    case 'String':
      return text;
    case 'Date':
      return sql`json_instant(${text})`;
    case 'Dateonly':
      return sql`json_day(${text})`;
    case 'Json':
      return inValid(document, sql`case when ${type} <> 'null' then ${document} -> ${steps} end`);
  }
}

function textCandidate(document: Sql, path: readonly (string | number)[]): Candidate {
  const steps = slot(() => jsonPathText(path));
  return {
    value: inValid(document, sql`${document} ->> ${steps}`),
    isValue: inValid(document, sql`json_type(${document}, ${steps}) = 'text'`),
  };
}

function inValid(document: Sql, value: Sql): Sql {
  return sql`case when json_valid(${document}) then ${value} end`;
}
