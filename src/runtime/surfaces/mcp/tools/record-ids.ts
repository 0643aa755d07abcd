import * as z from 'zod';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { packedRecordId, type RecordId, readRecordId, recordIdArgument } from './record-id.ts';

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
