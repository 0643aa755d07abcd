import { parseExactly } from '#kernel/json/read-json';
import type { ColumnSchema } from './collection-schema.ts';
import type { ColumnType } from './column-type.ts';

/**
 * The value that a column takes for what a file holds; undefined where the database is to fill it in. What no column of the type takes
 * comes back as it is, to be refused. Throws `TextUnread`.
 */
type ReadValue = (column: ColumnSchema, value: unknown) => unknown;

/** A text of a file that a column cannot be given. */
export class TextUnread extends Error {
  /** What the column takes, in words. */
  readonly wanted: string;

  constructor(wanted: string, cause?: unknown) {
    super(`The text is not ${wanted}.`, { cause });
    this.wanted = wanted;
  }
}

/** A value as JSON can hold it: bytes become base64, and numbers that JSON does not know their names. */
export function portableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value))) return String(value);
  return Array.isArray(value) ? value.map(portableValue) : (value ?? null);
}

/** A portable value as a field of CSV. Documents and lists are JSON, also a document that is only a text. */
export function csvText({ type }: ColumnSchema, value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' && !isJson(type) ? value : JSON.stringify(value);
}

/** How the values of a file are read, by its format. */
export const readValueOf = {
  /** An empty text is null where the column accepts that. */
  csv: ({ type, isExact, isNullable }, value) => {
    if (value === '' && (isNullable || type !== 'String')) return isNullable ? null : undefined;
    const isParsed = isJson(type) || (type === 'Point' && String(value).startsWith('['));
    const read = isParsed ? parseJson(String(value)) : value;
    return type === 'Json' ? read : storedValue(type, isExact, read);
  },
  /** JSON says itself what is a text, null or empty. */
  ndjson: ({ type, isExact }, value) => (type === 'Json' ? value : storedValue(type, isExact, value)),
} as const satisfies Readonly<Record<string, ReadValue>>;

export type FileFormat = keyof typeof readValueOf;

function storedValue(type: ColumnType, isExact: boolean, value: unknown): unknown {
  if (Array.isArray(type) && Array.isArray(value)) return value.map((item) => storedValue(type[0], isExact, item));
  if (typeof value !== 'string') return value;
  if (type === 'Number' && !isExact && value !== '' && !Number.isNaN(Number(value))) return Number(value);
  if (type === 'Boolean') return booleanOf(value);
  return type === 'Binary' ? bytesOfBase64(value) : value;
}

function parseJson(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (cause) {
    throw new TextUnread('JSON', cause);
  }
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function booleanOf(text: string): boolean {
  const value = booleans.get(text.toLowerCase());
  if (value === undefined) throw new TextUnread('true or false');
  return value;
}

const base64Text = /^[a-z0-9+/]*={0,2}$/i;

function bytesOfBase64(text: string): Uint8Array {
  if (!base64Text.test(text)) throw new TextUnread('base64');
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Whether CSV has the values as JSON. */
function isJson(type: ColumnType): boolean {
  return typeof type !== 'string' || type === 'Json';
}
