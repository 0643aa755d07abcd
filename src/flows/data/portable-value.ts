import type { ColumnSchema, ColumnType } from '#runtime/index';

/** The value that a column takes for what a file holds; undefined where the database is to fill it in. */
export type ReadValue = (column: ColumnSchema, value: unknown) => unknown;

/** A value as JSON can hold it: bytes become base64, and numbers that JSON does not know their names. */
export function portableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return Array.isArray(value) ? value.map(portableValue) : (value ?? null);
}

/** A portable value as a field of CSV. Documents and lists are JSON, also a document that is only a text. */
export function csvText({ type }: ColumnSchema, value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' && !isJson(type) ? value : JSON.stringify(value);
}

/** JSON says itself what is a text, null or empty. */
export const valueOfNdjson: ReadValue = ({ type, isExact }, value) =>
  type === 'Json' ? value : storedValue(type, isExact, value);

/** An empty text is null where the column accepts that. Throws a `SyntaxError` if JSON is wanted and the text is not JSON. */
export const valueOfCsv: ReadValue = ({ type, isExact, isNullable }, value) => {
  if (value === '' && (isNullable || type !== 'String')) return isNullable ? null : undefined;
  const isParsed = isJson(type) || (type === 'Point' && String(value).startsWith('['));
  const read = isParsed ? (JSON.parse(String(value)) as unknown) : value;
  return type === 'Json' ? read : storedValue(type, isExact, read);
};

function storedValue(type: ColumnType, isExact: boolean, value: unknown): unknown {
  if (Array.isArray(type) && Array.isArray(value)) return value.map((item) => storedValue(type[0], isExact, item));
  if (typeof value !== 'string') return value;
  if (type === 'Number' && !isExact && value !== '' && !Number.isNaN(Number(value))) return Number(value);
  if (type === 'Boolean') return value === 'true' || value === '1';
  return type === 'Binary' ? new Uint8Array(Buffer.from(value, 'base64')) : value;
}

/** Whether CSV has the values as JSON. */
function isJson(type: ColumnType): boolean {
  return typeof type !== 'string' || type === 'Json';
}
