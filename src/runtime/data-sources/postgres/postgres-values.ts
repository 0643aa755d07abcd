import type { SqlValue } from '#kernel/ports/sql-row';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { isListType } from '../../query/operators.ts';
import { familyOf, itemColumn, type TypeFamily } from './native-type.ts';
import { type ArrayItem, readArray, writeArray } from './postgres-arrays.ts';
import { readInstant, readKeyInstant, readTime, writeInstant } from './postgres-instants.ts';

type Read = (text: string) => unknown;

/** How a stored value of the column is read from the text of the database; never called with `null`. */
export function postgresDecoder(column: ColumnSchema): (stored: SqlValue) => unknown {
  const read = readerOf(column);
  return (stored) => read(String(stored));
}

function readerOf(column: ColumnSchema): Read {
  if (isListType(column.type)) {
    const readItem = readerOf(itemColumn(column));
    return (text) => readArray(text).map((item) => readNested(item, readItem));
  }
  if (column.type === 'Number') return column.isExact ? readExact(familyOf(column)) : Number;
  if (column.type === 'Date' && column.isPrimaryKey) return readKeyInstant;
  const read = readers[familyOf(column)];
  return read ?? ((text) => text);
}

function readNested(item: ArrayItem, read: Read): unknown {
  if (item === null) return null;
  return typeof item === 'string' ? read(item) : item.map((inner) => readNested(inner, read));
}

const readers: Partial<Record<TypeFamily, Read>> = {
  boolean: (text) => text === 't' || text === 'true',
  binary: readBytes,
  json: readJson,
  point: (text) => text.slice(1, -1),
  'padded-text': (text) => text.replace(/ +$/, ''),
  time: readTime,
  timetz: readTime,
  timestamp: readInstant,
  timestamptz: readInstant,
};

/** Digits as they are. Lists of money come in the form of the server's country, of which only the plain one is read. */
function readExact(family: TypeFamily): Read {
  return family === 'money' ? (text) => text.replaceAll(/[^\d.-]/g, '') : (text) => text;
}

function readJson(text: string): unknown {
  return JSON.parse(text);
}

function readBytes(text: string): Uint8Array {
  if (text.startsWith('\\x')) return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
  // The older form, which a server may be set to: printable bytes as they are, the others in octal.
  const bytes: number[] = [];
  for (let position = 0; position < text.length; position++) {
    if (text[position] !== '\\') bytes.push(text.charCodeAt(position));
    else if (text[position + 1] === '\\') {
      bytes.push(0x5c);
      position += 1;
    } else {
      bytes.push(Number.parseInt(text.slice(position + 1, position + 4), 8));
      position += 3;
    }
  }
  return Uint8Array.from(bytes);
}

/** How a validated value of the column is bound, in a write or a comparison. */
export function encodeForPostgres(column: ColumnSchema, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (isListType(column.type)) {
    const item = itemColumn(column);
    return writeArray((Array.isArray(value) ? value : [value]).map((one) => arrayItem(item, one)));
  }
  switch (familyOf(column)) {
    case 'json':
      return JSON.stringify(value);
    case 'timestamp':
      // Read as a time without a zone the sign would be passed over; better that it is not there.
      return writeInstant(value).replace(/Z$/, '');
    case 'timestamptz':
      return writeInstant(value);
    case 'point':
      return `(${String(value)})`;
    case 'binary':
      return value instanceof Uint8Array ? value : bytesOfText(String(value));
    case 'boolean':
      return value === true;
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

function arrayItem(column: ColumnSchema, value: unknown): ArrayItem {
  // A list in a list of documents is a document.
  if (Array.isArray(value) && column.type !== 'Json') return value.map((inner) => arrayItem(column, inner));
  const encoded = encodeForPostgres(column, value);
  if (encoded === null) return null;
  return encoded instanceof Uint8Array ? `\\x${Buffer.from(encoded).toString('hex')}` : String(encoded);
}
