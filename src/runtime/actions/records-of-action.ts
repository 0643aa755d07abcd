import { CloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection, ModelView } from '../model/compiled-model.ts';
import { resolvePath } from '../model/field-path.ts';
import type { RecordData } from '../query/record-query.ts';
import { createRecordBatch, type ListRecords } from './record-batch.ts';

/** How an action reads the records it is about. */
export interface RecordsOfAction {
  getRecords(fields: readonly string[]): Promise<RecordData[]>;
  /** What a Single action throws when its record is not there. */
  noRecord(): CloudError;
}

/** @param list reads the selected records with the rights of the caller; `undefined` for an action without a selection. */
export function recordsOfAction(
  model: ModelView,
  collection: CompiledCollection,
  list: ListRecords | undefined,
): RecordsOfAction {
  return {
    getRecords: list
      ? createRecordBatch(list, (field) => resolvePath(model, collection, field))
      : () => Promise.resolve([]),
    noRecord: () =>
      new CloudError({
        code: 'REQUEST_INVALID',
        message: 'The selected record does not exist.',
        nextSteps: ['Select a record that you can see.'],
      }),
  };
}
