import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { DataSource, RecordData, RecordStore } from '#runtime/index';
import { anywhere } from './development-data.ts';

/** What a file adds to a collection. */
export interface FileOfRecords {
  readonly collection: string;
  readonly file: string;
  readonly records: readonly RecordData[];
}

/** Some records of a file. */
interface Batch {
  readonly from: FileOfRecords;
  /** Index of the first. */
  readonly start: number;
  readonly records: readonly RecordData[];
}

const batchSize = 500;

/** Add the records of files to a database, all of them or none. Rejects with the place of the record that the database refuses. */
export async function addRecords(source: DataSource, files: readonly FileOfRecords[]): Promise<void> {
  const batches = files.flatMap(batchesOf);
  let written = 0;
  try {
    await source.transaction(async (store) => {
      for (; written < batches.length; written++) await add(store, batches[written]);
    }, anywhere);
  } catch (cause) {
    const refused = batches[written];
    if (refused && isCloudError(cause) && cause.kind === 'user') {
      await nameRefused(source, batches.slice(0, written), refused);
    }
    throw cause;
  }
}

/** Do once more, record by record, what the database refused, and throw the place of the record. Nothing is kept. */
async function nameRefused(source: DataSource, before: readonly Batch[], refused: Batch): Promise<void> {
  const undo = new Error('Nothing of this transaction is kept.');
  const single = refused.records.map((record, index) => ({
    ...refused,
    start: refused.start + index,
    records: [record],
  }));
  const work = source.transaction(async (store) => {
    for (const batch of before) await add(store, batch);
    for (const batch of single) {
      await add(store, batch).catch((cause: unknown) => {
        throw unreadable(placeOf(batch.from.file, batch.start), 'the database refuses it', cause);
      });
    }
    throw undo;
  }, anywhere);
  await work.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

async function add(store: RecordStore, batch: Batch | undefined): Promise<void> {
  if (batch) await store.create(batch.from.collection, batch.records, anywhere);
}

function batchesOf(from: FileOfRecords): readonly Batch[] {
  const { records } = from;
  return Array.from({ length: Math.ceil(records.length / batchSize) }, (_, index) => {
    const start = index * batchSize;
    return { from, start, records: records.slice(start, start + batchSize) };
  });
}

/** How an error names a record of a file. */
export function placeOf(file: string, index: number): string {
  return `${file}, record ${index + 1}`;
}

export function unreadable(place: string, why: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `${place} cannot be imported: ${isCloudError(cause) ? cause.message : `${why}.`}`,
    nextSteps: ['Correct the file; nothing of its database was written.'],
    cause,
  });
}
