import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import {
  type CollectionSchema,
  type DataSource,
  KeptValue,
  type RecordData,
  type RecordStore,
  StoredForm,
} from '#runtime/index';
import { anywhere } from './development-data.ts';
import { type FileOfRecords, insertionOrder, type PlacedRecord } from './insertion-order.ts';

/** Some records of a file, which are created, or changed where they were created without all of their values. */
interface Step {
  readonly kind: 'create' | 'complete';
  readonly from: FileOfRecords;
  readonly records: readonly PlacedRecord[];
}

const batchSize = 500;

/** Add the records of files to a database, all of them or none. Rejects with the place of the record that the database refuses. */
export async function addRecords(source: DataSource, files: readonly FileOfRecords[]): Promise<void> {
  const { created, completed } = insertionOrder(files);
  const steps = [...batchesOf(created), ...completed.map((placed) => stepOf('complete', [placed], placed.from))];
  let written = 0;
  try {
    await source.transaction(async (store) => {
      for (const step of steps) {
        await take(store, step);
        written += 1;
      }
    }, anywhere);
  } catch (cause) {
    const refused = steps[written];
    if (refused && isCloudError(cause) && cause.kind === 'user') {
      await nameRefused(source, steps.slice(0, written), refused);
    }
    throw cause;
  }
}

/** Do again, record by record, what the database refused, and throw the place of the record. Nothing is kept. */
async function nameRefused(source: DataSource, before: readonly Step[], refused: Step): Promise<void> {
  const undo = new Error('Nothing of this transaction is kept.');
  const work = source.transaction(async (store) => {
    for (const step of before) await take(store, step);
    for (const placed of refused.records) {
      await take(store, { ...refused, records: [placed] }).catch((cause: unknown) => {
        throw unreadable(placeOf(placed.from.file, placed.index), 'the database refuses it', cause);
      });
    }
    throw undo;
  }, anywhere);
  await work.catch((error: unknown) => {
    if (error !== undo) throw error;
  });
}

async function take(store: RecordStore, { kind, from, records: placed }: Step): Promise<void> {
  const { schema } = from.collection;
  const records = placed.map(({ record }) => record);
  if (kind === 'create') await store.create(schema.name, records, anywhere);
  else for (const record of records) await complete(store, schema, record);
}

/** All values are written again, so that no column keeps the time of this change. A record without its key cannot be found. */
async function complete(store: RecordStore, { name, primaryKey }: CollectionSchema, record: RecordData): Promise<void> {
  const conditions = primaryKey.map((field) => ({ field, operator: 'Equal' as const, value: wanted(record[field]) }));
  const rest = Object.entries(record).filter(([field]) => !primaryKey.includes(field));
  await store.update(name, { aggregator: 'And', conditions }, Object.fromEntries(rest), anywhere);
}

function wanted(value: unknown): unknown {
  return value instanceof KeptValue ? new StoredForm(value.literal) : value;
}

/** Neighbours of one file, up to a limit. */
function batchesOf(created: readonly PlacedRecord[]): readonly Step[] {
  const steps: Step[] = [];
  let start = 0;
  for (let end = 1; end <= created.length; end++) {
    const first = created[start];
    if (!first || (created[end]?.from === first.from && end - start < batchSize)) continue;
    steps.push(stepOf('create', created.slice(start, end), first.from));
    start = end;
  }
  return steps;
}

function stepOf(kind: Step['kind'], records: readonly PlacedRecord[], from: FileOfRecords): Step {
  return { kind, records, from };
}

/** How an error names a record of a file. */
export function placeOf(file: string, index: number): string {
  return `${file}, record ${index + 1}`;
}

export function unreadable(place: string, why: string, cause?: unknown): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${place} cannot be imported: ${isCloudError(cause) ? cause.message : `${why}.`}`,
    'Correct the file; nothing of its database was written.',
    { cause },
  );
}
