import { recordProjector } from '../query/project-record.ts';
import { Projection } from '../query/projection.ts';
import type { RecordData } from '../query/record-query.ts';

/** Reads the records an action is about, with at least the fields that are named. */
export type ListRecords = (fields: readonly string[]) => Promise<readonly RecordData[]>;

interface Waiting {
  readonly fields: readonly string[];
  readonly answer: PromiseWithResolvers<RecordData[]>;
}

/**
 * Merge the reads of one moment: all that is asked for before the event loop turns is one query, from which everybody gets
 * the fields they named. A path that does not exist fails only whoever asked for it.
 *
 * @param check throws for a field that cannot be read.
 */
export function createRecordBatch(
  list: ListRecords,
  check: (field: string) => unknown,
): (fields: readonly string[]) => Promise<RecordData[]> {
  let waiting: Waiting[] = [];

  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      const records = await list([...new Set(batch.flatMap(({ fields }) => fields))]);
      for (const { fields, answer } of batch) {
        answer.resolve(records.map(recordProjector(new Projection(...fields))));
      }
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  };

  return async (fields) => {
    for (const field of fields) check(field);
    const answer = Promise.withResolvers<RecordData[]>();
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ fields, answer });
    return answer.promise;
  };
}
