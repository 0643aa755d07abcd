import { sql } from 'kysely';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { csvText, portableValue, readValueOf } from '../../query/portable-value.ts';
import { nullDocument } from '../../query/stored-document.ts';
import { KeptValue } from '../../query/stored-form.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { encodeForSqlite, sqliteDecoder } from './sqlite-values.ts';

/** A value with its storage class: SQLite keeps one with each value, whatever type the column declares. */
interface Stored {
  readonly kind: 'integer' | 'real' | 'text' | 'blob';
  readonly value: string | number | bigint | Uint8Array;
}

/** Of an export, the storage class as well: a text stands behind a quotation mark, and anything else is a literal. */
export function sqliteSelection({ hasEveryDigit }: ColumnSchema, reference: Sql): Sql {
  if (!hasEveryDigit) return reference;
  // Behind a mark and not as a literal, which would end at a zero sign.
  return sql`case typeof(${reference}) when 'null' then null when 'text' then '''' || ${reference} else quote(${reference}) end`;
}

/** How a value is read that `sqliteSelection` selects; in an export as a `KeptValue` where what is shown would not come back as it is stored. */
export function decoderOfSqlite(column: ColumnSchema): (selected: SqlValue) => unknown {
  const decode = sqliteDecoder(column);
  if (!column.hasEveryDigit) return decode;
  return (selected) => {
    const text = String(selected);
    const stored = text.startsWith("'") ? ({ kind: 'text', value: text.slice(1) } as const) : storedOf(text);
    const shown = decode(asRead(stored.value));
    return comesBack(column, stored, shown, decode) ? shown : new KeptValue(shown, literalOf(stored, text));
  };
}

export function encodeWithKept(column: ColumnSchema, value: unknown): SqlValue {
  return value instanceof KeptValue ? storedOf(value.literal).value : encodeForSqlite(column, value);
}

/** What a literal of SQL stands for. */
export function storedOf(literal: string): Stored {
  if (literal.startsWith("'")) return { kind: 'text', value: literal.slice(1, -1).replaceAll("''", "'") };
  if (/^X'/i.test(literal)) return { kind: 'blob', value: Buffer.from(literal.slice(2, -1), 'hex') };
  return /^-?\d+$/.test(literal) ? integer(BigInt(literal)) : { kind: 'real', value: Number(literal) };
}

/** As the driver gives it: integers are numbers where that loses nothing. */
function asRead(value: Stored['value']): SqlValue {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function integer(value: bigint): Stored {
  return { kind: 'integer', value };
}

function literalOf({ kind, value }: Stored, selected: string): string {
  return kind === 'text' ? `'${String(value).replaceAll("'", "''")}'` : selected;
}

/** Whether a file that has the shown value makes the stored one again. */
function comesBack(
  column: ColumnSchema,
  stored: Stored,
  shown: unknown,
  decode: (stored: SqlValue) => unknown,
): boolean {
  // What tells the form of such a number may be gone by then, and a document may have more digits than a number.
  if ((column.type === 'Date' || column.type === 'Json') && stored.kind !== 'text') return false;
  if (shown === nullDocument) return false;
  const portable = portableValue(shown);
  const ways = [() => readValueOf.ndjson(column, portable)];
  // CSV has no empty text where a column may be null.
  if (stored.value !== '') ways.push(() => readValueOf.csv(column, csvText(column, portable)));
  return ways.every((read) => {
    const again = writtenAgain(column, read);
    if (!again || again.kind !== stored.kind) return false;
    return (
      isSame(again.value, stored.value) || (hasForms(column, stored) && isSame(decode(asRead(again.value)), shown))
    );
  });
}

/** What SQLite would store of what a file has; `undefined` for what the file cannot hold, or the column would not take. */
function writtenAgain(column: ColumnSchema, read: () => unknown): Stored | undefined {
  let value: SqlValue;
  try {
    value = encodeForSqlite(column, read());
  } catch {
    // The literal is kept then.
    return undefined;
  }
  if (value === null) return undefined;
  return withAffinity(column.nativeType, value);
}

/** Texts of these types mean the same in several forms, of which one is written. */
function hasForms({ type }: ColumnSchema, { value }: Stored): boolean {
  return type === 'Date' || type === 'Time' || type === 'Uuid' || (type === 'Json' && isJson(String(value)));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other) === 0;
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}

/** What becomes of a bound value, by SQLite's rules for the declared type. */
function withAffinity(declared: string, value: Exclude<SqlValue, null>): Stored {
  if (value instanceof Uint8Array) return { kind: 'blob', value };
  const type = declared.toUpperCase();
  const isInteger = type.includes('INT');
  const isText = !isInteger && /CHAR|CLOB|TEXT/.test(type);
  const isAny = !isInteger && (type === '' || type === 'ANY' || type.includes('BLOB'));
  const isReal = !isInteger && /REAL|FLOA|DOUB/.test(type);
  const stored = typeof value === 'string' ? ({ kind: 'text', value } as const) : numberOf(value);
  if (isText || isAny) return stored;
  if (stored.kind !== 'text') return isReal ? asReal(stored) : asInteger(stored);
  const number = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(String(value)) && String(value).trim();
  if (number === false) return stored;
  const read = /^[-+]?\d+$/.test(number) ? integer(BigInt(number.replace('+', ''))) : numberOf(Number(number));
  return isReal ? asReal(read) : asInteger(read);
}

/** The driver binds a number as a floating point one. */
function numberOf(value: number | bigint | boolean): Stored {
  return typeof value === 'bigint' ? integer(value) : { kind: 'real', value: Number(value) };
}

function asReal({ value }: Stored): Stored {
  return { kind: 'real', value: Number(value) };
}

function asInteger(stored: Stored): Stored {
  const { value } = stored;
  const whole = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof whole !== 'bigint') return stored;
  return BigInt.asIntN(64, whole) === whole ? integer(whole) : asReal(integer(whole));
}
