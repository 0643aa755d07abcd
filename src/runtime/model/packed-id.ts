import { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { columnValueProblem } from '../query/column-value.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CompiledCollection } from './compiled-model.ts';

const separator = '|';

/** The key of a record as one text: its values in the order of the key, joined with `|`. */
export function packId(collection: CompiledCollection, record: RecordData): string {
  requireKey(collection);
  const [only = '', ...others] = collection.primaryKey;
  return others.length === 0 ? textOf(record[only]) : packedKey(collection.primaryKey.map((column) => record[column]));
}

/** A key as ids are written: its parts joined with `|`, bytes in hexadecimal. */
export function packedKey(parts: readonly unknown[]): string {
  return parts.map(textOf).join(separator);
}

/** A key as customization code gets it: one value, or the packed form where the key is composite. */
export function simpleKey(key: readonly (string | number)[]): string | number {
  const [value] = key;
  return key.length === 1 && value !== undefined ? value : packedKey(key);
}

function textOf(part: unknown): string {
  return part instanceof Uint8Array ? Buffer.from(part).toString('hex') : String(part);
}

/** One value for each key column. Throws `REQUEST_INVALID` when their number or a type is wrong. */
export function unpackId(collection: CompiledCollection, packed: unknown): readonly unknown[] {
  requireKey(collection);
  if (typeof packed !== 'string') {
    throw invalidRequest('The id of a record must be a text.', 'Send ids as JSON strings, such as "4".');
  }
  return keyOfParts(collection, packed.split(separator), packed);
}

/**
 * One value for each key column, from their texts. A part may hold the separator of packed ids. Throws what `unpackId` throws.
 *
 * @param id How errors name it.
 */
export function keyOfParts(
  collection: CompiledCollection,
  parts: readonly string[],
  id: string = packedKey(parts),
): readonly unknown[] {
  requireKey(collection);
  if (parts.length !== collection.primaryKey.length) {
    throw invalidRequest(
      `The id "${id}" has ${parts.length} parts; the key of "${collection.name}" has ${collection.primaryKey.length}.`,
      `Join the values of ${collection.primaryKey.join(', ')} with "|".`,
    );
  }
  return collection.primaryKey.map((name, index) => keyValue(collection, name, parts[index] ?? ''));
}

/** Throws `REQUEST_UNPROCESSABLE` for a collection whose records cannot be told apart. */
export function requireKey(collection: CompiledCollection): void {
  if (collection.primaryKey.length > 0) return;
  throw new CloudError({
    code: 'REQUEST_UNPROCESSABLE',
    message: `The collection "${collection.name}" has no primary key, so its records have no id.`,
    nextSteps: ['Add a primary key to the table, or read it through a collection that has one.'],
  });
}

function keyValue(collection: CompiledCollection, name: string, part: string): unknown {
  const field = collection.fields.get(name);
  if (field?.kind !== 'column') return part;
  const value = typedValue(field, part);
  const problem = columnValueProblem(field, value);
  if (part === '' || problem !== undefined) {
    throw invalidRequest(`"${part}" is not a ${name} of "${collection.name}".`, `Send ${problem ?? 'a value'}.`);
  }
  return value;
}

function typedValue(column: ColumnSchema, part: string): unknown {
  if (column.type === 'Number' && !column.isExact && part.trim() !== '') return numberOf(part);
  if (column.type === 'Boolean' && (part === 'true' || part === 'false')) return part === 'true';
  return part;
}

/** Digits that no number holds stay a text: rounded they would be the key of another record. */
function numberOf(part: string): number | string {
  const number = Number(part);
  return /^[+-]?\d+$/.test(part) && !Number.isSafeInteger(number) ? part : number;
}
