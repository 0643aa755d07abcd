import type { BinaryMode } from '../customizer/declaration.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
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
  if (column.type !== 'Binary') return undefined;
  const encode = binaryModeOf(collection, column) === 'hex' ? toHex : toDataUri;
  return (value) => (value instanceof Uint8Array ? encode(value) : value);
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
