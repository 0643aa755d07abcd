import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { bytesOfText } from '../query/bytes-of-text.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { columnValueProblem } from '../query/column-value.ts';
import { type ConditionTemplate, openCondition } from '../query/condition-template.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CompiledCollection } from './compiled-model.ts';

const separator = '|';

/**
 * The id of records whose key is not complete, as in views and in the text keys of SQLite, and of those whose only key is an empty text.
 * Nothing is found by it: the text "null" is the key of another record.
 */
export const noId = '';

/** The key of a record as one text: its values in the order of the key, joined with `|`; `noId` where one of them is missing. */
export function packId(collection: CompiledCollection, record: RecordData): string {
  requireKey(collection);
  const [only = '', ...others] = collection.primaryKey;
  if (others.length > 0) return packedKey(collection.primaryKey.map((column) => record[column]));
  const value = record[only];
  return isMissing(value) ? noId : textOf(value);
}

/** A key as ids are written: its parts joined with `|`, bytes in hexadecimal; `noId` where a part is missing. */
export function packedKey(parts: readonly unknown[]): string {
  return parts.some(isMissing) ? noId : parts.map(textOf).join(separator);
}

/** Whether the id of a record is one that a request can name. */
export function hasKey({ primaryKey }: Pick<CompiledCollection, 'primaryKey'>, record: RecordData): boolean {
  return packedKey(primaryKey.map((column) => record[column])) !== noId;
}

/** Whether a condition can find a record by its key: a value is there for each column, which may be an empty text. */
export function hasEveryPart({ primaryKey }: Pick<CompiledCollection, 'primaryKey'>, record: RecordData): boolean {
  return !primaryKey.some((column) => isMissing(record[column]));
}

function isMissing(part: unknown): boolean {
  return part === null || part === undefined;
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
  if (packed === noId) throw idWithoutRecord(collection);
  // In the key of one column the separator is a character like any other.
  const parts = collection.primaryKey.length === 1 ? [packed] : packed.split(separator);
  return keyOfParts(collection, parts, packed);
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
    const columns = collection.primaryKey.join(', ');
    throw invalidRequest(
      `The id "${id}" has ${parts.length} parts; the key of "${collection.name}" has ${collection.primaryKey.length}.`,
      parts.length < collection.primaryKey.length
        ? `Join the values of ${columns} with "|".`
        : `Join the values of ${columns} with "|". A value that holds "|" fits into no id: find such a record by a filter on ${columns}. MCP tools take the values as a list.`,
    );
  }
  return collection.primaryKey.map((name, index) => keyValue(collection, name, parts[index] ?? ''));
}

/** Throws `REQUEST_UNPROCESSABLE` for a collection whose records cannot be told apart. */
export function requireKey(collection: CompiledCollection): void {
  if (collection.primaryKey.length > 0) return;
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `The collection "${collection.name}" has no primary key, so its records have no id.`,
    'Add a primary key to the table. Without one, exports, charts and the MCP tool "list" show its records.',
  );
}

function keyValue(collection: CompiledCollection, name: string, part: string): unknown {
  const field = collection.fields.get(name);
  if (field?.kind !== 'column') return part;
  const value = typedValue(field, part);
  const problem = columnValueProblem(field, value);
  // A text of a key may be empty; an id that is empty as a whole is a missing one.
  const isAbsent = part === '' && (field.type !== 'String' || collection.primaryKey.length === 1);
  if (isAbsent || problem !== undefined) {
    throw invalidRequest(
      `"${part}" does not fit the key "${name}" of "${collection.name}".`,
      `Send ${problem ?? 'a value'}.`,
    );
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

/**
 * The condition that is true of one record: `id` holds a value for each key column, in key order.
 *
 * @throws `REQUEST_UNPROCESSABLE` where there is no key, `REQUEST_INVALID` for an id that does not fit it.
 */
export function idCondition(collection: CompiledCollection, id: readonly unknown[]): ConditionTree {
  return keysAre(collection.primaryKey, keyValues(collection, id));
}

/** The condition of one record, its key left open. */
export function keyTemplate({ primaryKey }: CompiledCollection): ConditionTemplate {
  return openCondition(keysAre(primaryKey, [])).template;
}

function keysAre(fields: readonly string[], values: readonly unknown[]): ConditionTree {
  const conditions = fields.map((field, index) => ({ field, operator: 'Equal' as const, value: values[index] }));
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { aggregator: 'And', conditions };
}

/** The values of `keyTemplate` for one record. Throws what `idCondition` throws. */
export function keyValues(collection: CompiledCollection, id: readonly unknown[]): readonly unknown[] {
  const { primaryKey, name } = collection;
  if (primaryKey.length === 0) {
    throw cloudError(
      'REQUEST_UNPROCESSABLE',
      `The records of "${name}" cannot be addressed: it has no primary key.`,
      'Give the table a primary key.',
    );
  }
  if (id.length !== primaryKey.length) {
    throw invalidId(`An id of "${name}" has ${primaryKey.length} parts (${primaryKey.join(', ')}), not ${id.length}.`);
  }
  return primaryKey.map((key, index) => {
    const value = id[index];
    const column = collection.fields.get(key);
    const problem = column?.kind === 'column' ? columnValueProblem(column, value) : undefined;
    if (isMissing(value) || problem !== undefined) {
      throw invalidId(`The part "${key}" of an id of "${name}" must be ${problem ?? 'given'}.`);
    }
    const isBinaryText = column?.kind === 'column' && column.type === 'Binary' && typeof value === 'string';
    return isBinaryText ? bytesOfText(value) : value;
  });
}

/**
 * The condition that is true of exactly the records, which hold their primary keys.
 *
 * @throws `REQUEST_UNPROCESSABLE` where one of them has none: NULL finds nothing in one database, and several records in another.
 */
export function conditionOfRecords(
  collection: Pick<CompiledCollection, 'name' | 'primaryKey'>,
  records: readonly RecordData[],
): ConditionTree {
  const { primaryKey } = collection;
  if (!records.every((record) => hasEveryPart(collection, record))) throw recordWithoutKey(collection);
  return conditionOfKeys(
    primaryKey,
    records.map((record) => primaryKey.map((field) => record[field])),
  );
}

/** SQLite binds 32,766 values in one statement and takes long to read that many. */
const maxKeyValues = 10_000;

/** How many keys of this many parts one condition holds. Those of one part are a list, which is bound as one value. */
export function keysPerCondition(parts: number): number {
  return parts === 1 ? Number.POSITIVE_INFINITY : Math.floor(maxKeyValues / parts);
}

/**
 * The condition that is true where the fields have the values of one of the keys, which hold a value for each of them.
 *
 * @throws `REQUEST_UNPROCESSABLE` for more keys of several parts than a statement takes.
 */
export function conditionOfKeys(fields: readonly string[], keys: readonly (readonly unknown[])[]): ConditionTree {
  const [only, ...others] = fields;
  if (only !== undefined && others.length === 0) {
    return { field: only, operator: 'In', value: keys.map(([value]) => value) };
  }
  const max = keysPerCondition(fields.length);
  if (keys.length > max) throw tooManyKeys(max);
  const conditions = keys.map((key) => ({
    aggregator: 'And' as const,
    conditions: fields.map((field, index) => ({ field, operator: 'Equal' as const, value: key[index] })),
  }));
  return { aggregator: 'Or', conditions };
}

function tooManyKeys(limit: number): CloudError {
  return cloudError(
    'REQUEST_UNPROCESSABLE',
    `The request is about more than ${limit} records whose key has several parts.`,
    'Work on fewer records at once.',
  );
}

/** For what needs the key of a record that has none. */
export function recordWithoutKey({ name, primaryKey }: Pick<CompiledCollection, 'name' | 'primaryKey'>): CloudError {
  const columns = primaryKey.join(', ');
  const lack = primaryKey.length === 1 ? `${columns} is NULL or empty` : `a part of ${columns} is NULL`;
  return cloudError(
    'REQUEST_UNPROCESSABLE',
    `A record of "${name}" has no key: ${lack}. Nothing was done.`,
    `Leave it out by a filter, or give it a value of ${columns} in the database.`,
  );
}

/** Whether two records may have the same id: nothing keeps the keys of a view apart, for instance. */
export function mayShareIds({ native }: Pick<CompiledCollection, 'native'>): boolean {
  return native.isReadOnly || native.hasLooseKey === true;
}

/**
 * The record that was found by a key.
 *
 * @throws `RECORD_AMBIGUOUS` where several have it, since nobody can say which of them is meant.
 */
export function soleRecord<Found>(
  collection: Pick<CompiledCollection, 'name' | 'primaryKey' | 'native'>,
  records: readonly Found[],
): Found | undefined {
  if (records.length > 1) throw recordAmbiguous(collection);
  return records[0];
}

/** Throws `RECORD_AMBIGUOUS` where two rows have the same key. */
export function requireDistinctKeys(
  collection: Pick<CompiledCollection, 'name' | 'primaryKey' | 'native'>,
  rows: readonly RecordData[],
): void {
  const keys = rows.map((row) => collection.primaryKey.map((key) => packedKey([row[key]])).join(separator));
  if (new Set(keys).size < rows.length) throw recordAmbiguous(collection);
}

export function recordAmbiguous({
  name,
  primaryKey,
  native,
}: Pick<CompiledCollection, 'name' | 'primaryKey' | 'native'>): CloudError {
  const columns = primaryKey.join(', ');
  return cloudError(
    'RECORD_AMBIGUOUS',
    `Several rows of "${name}" have the same id (${columns}), so that it is not known which one is meant. Nothing was done.`,
    native.isReadOnly
      ? [
          `Find such rows by a filter, which shows them all.`,
          `Let the view show a column "id" that is different in each row, or give the table a primary key.`,
        ]
      : ['Give these rows different keys in the database.', 'Make the key of the table unique.'],
    { safeDetails: { collection: name } },
  );
}

function idWithoutRecord({ name, primaryKey }: CompiledCollection): CloudError {
  const columns = primaryKey.join(', ');
  return invalidRequest(
    `The id is empty. Records of "${name}" whose key is NULL or empty have it, and none is found by it.`,
    `Find such a record by a filter on ${columns}, or give it a key in the database.`,
  );
}

export function recordNotFound(collection: CompiledCollection): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `There is no such record in "${collection.name}".`, 'Check the identifier.');
}

function invalidId(message: string): CloudError {
  return cloudError('REQUEST_INVALID', message, 'Correct the id.', { details: { parameter: 'id' } });
}
