import type { TellKeys } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { packId } from '../../model/record-id.ts';
import type { WriteNotes } from '../calls/write-notes.ts';

/** Carry out a write, and note which records of the collection it changed, where somebody wants to know. */
export async function notingRecords<Result>(
  notes: WriteNotes | undefined,
  collection: CompiledCollection,
  run: (tell: TellKeys | undefined) => Promise<Result>,
): Promise<Result> {
  if (!notes?.records || collection.primaryKey.length === 0) return run(undefined);
  const ids: string[] = [];
  const result = await run((keys) => {
    for (const key of keys) ids.push(packId(collection, key));
  });
  notes.records(ids);
  return result;
}
