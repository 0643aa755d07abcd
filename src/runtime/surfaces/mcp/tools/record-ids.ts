import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { keyOfParts, packedKey, unpackId } from '../../../model/record-id.ts';
import { readJson } from './sent-arguments.ts';

const keyPart = z.union([z.string(), z.number()]);

/** The id of a record: the value of its key, or for a key of several columns a list of their values or the packed text. */
export const recordIdArgument = z.union([z.string(), z.number(), z.array(keyPart).min(1)]);

export type RecordId = z.output<typeof recordIdArgument>;

/**
 * The key that an id stands for: one value for each key column. An id is only a key: it is never a part of a path.
 *
 * @throws `REQUEST_INVALID` for an id that does not fit the key, and for a number that JSON has rounded.
 */
export function readRecordId(collection: CompiledCollection, id: RecordId): readonly unknown[] {
  if (Array.isArray(id)) return keyOfParts(collection, id.map(textOf));
  // Some clients send a list as JSON text. A text may be the key of one column itself.
  const parts = collection.primaryKey.length > 1 ? z.array(keyPart).min(1).safeParse(readJson(id)) : undefined;
  return parts?.success ? keyOfParts(collection, parts.data.map(textOf)) : unpackId(collection, textOf(id));
}

/** The id as reports hold it. */
export function packedRecordId(id: RecordId): string {
  return Array.isArray(id) ? packedKey(id) : String(id);
}

/** A number beyond the exact ones would be the id of another record. */
function textOf(part: string | number): string {
  if (typeof part === 'string' || !Number.isInteger(part) || Number.isSafeInteger(part)) return String(part);
  throw invalidRequest('The id is a number with more digits than JSON keeps.', 'Send the id as a text.');
}

/** How many there may be is a limit of the server. */
export const recordIdsArgument = z.array(recordIdArgument).min(1);

/** The ids as a report lists them, each once. */
export function packedIdsOf(ids: readonly RecordId[]): readonly string[] {
  return [...new Set(ids.map(packedRecordId))];
}

/** The keys of the records, each once. Throws `REQUEST_INVALID`. */
export function readRecordIds(
  collection: CompiledCollection,
  ids: readonly RecordId[],
): readonly (readonly unknown[])[] {
  const keys = ids.map((id) => readRecordId(collection, id));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
