import type { BinaryMode } from '../customizer/declaration.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { isListType } from '../query/operators.ts';
import type { CompiledCollection } from './compiled-model.ts';

/** First bytes of the media types that a browser can show, in hexadecimal. */
const signatures: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
];

/**
 * How bytes leave as text: a data URI, or hexadecimal in key columns, where they are part of addresses. `undefined` for
 * a column that holds no bytes.
 */
export function binaryEncoderOf(
  collection: CompiledCollection,
  column: ColumnSchema,
): ((value: unknown) => unknown) | undefined {
  const isList = isListType(column.type) && column.type[0] === 'Binary';
  if (column.type !== 'Binary' && !isList) return undefined;
  const toText = binaryModeOf(collection, column) === 'hex' ? toHex : toDataUri;
  const encode = (value: unknown): unknown => {
    if (isList && Array.isArray(value)) return value.map(encode);
    return value instanceof Uint8Array ? toText(value) : value;
  };
  return encode;
}

/** Hexadecimal for keys, unless the customization says otherwise. */
export function binaryModeOf(collection: CompiledCollection, { name }: ColumnSchema): BinaryMode {
  return collection.binaryModes.get(name) ?? (isKeyColumn(collection, name) ? 'hex' : 'datauri');
}

function isKeyColumn(collection: CompiledCollection, name: string): boolean {
  if (collection.primaryKey.includes(name)) return true;
  return [...collection.fields.values()].some(
    (field) => field.kind === 'ManyToOne' && field.join.some((pair) => pair.local === name),
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function toDataUri(bytes: Uint8Array): string {
  const start = toHex(bytes.subarray(0, 8));
  const mediaType = signatures.find(([signature]) => start.startsWith(signature))?.[1] ?? 'application/octet-stream';
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}
