import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { createSeededRandom } from '#project/index';
import type { DataSource } from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { anywhere, namedCollections, type StoredCollection, withDevelopmentData } from './development-data.ts';
import { recordsFor } from './make-records.ts';
import { parentsFirst } from './parent-order.ts';
import type { Seeding } from './stored-values.ts';

export interface SeedInput {
  readonly folder: string;
  /** Names of the collections to fill; all of them for none. */
  readonly collections: readonly string[];
  /** Records to make in each. */
  readonly rows: number;
  /** The same number makes the same records, on databases with the same contents and on the same day. */
  readonly seed: number;
  /** How many of 100 records are marked as deleted, where deletion marks records. Default 5. */
  readonly deletedPercent?: number | undefined;
}

export interface SeededData {
  readonly seed: number;
  readonly collections: readonly { readonly name: string; readonly created: number }[];
}

const batchSize = 500;
const dayMs = 24 * 60 * 60 * 1000;
const usualDeletedPercent = 5;
/** Tries of all records of a database, where it refuses some by a rule that cannot be read. */
const mostAttempts = 20;

type Filling = Omit<Seeding, 'store' | 'rules' | 'random' | 'refusals'> & { readonly seed: number };

/** Fill collections with records that fit their columns, keys and checks; of each database all of them or none. */
export function seedData(context: FlowContext, input: SeedInput): Promise<SeededData> {
  return withDevelopmentData(context, input.folder, async (data) => {
    const { rows, seed, deletedPercent = usualDeletedPercent } = input;
    const wanted = namedCollections(data, input.collections).filter(({ schema }) => !schema.isReadOnly);
    const now = Math.floor(context.clock.now() / dayMs) * dayMs;
    const filling = { rows, seed, now, deletedShare: deletedPercent / 100 };
    const created: { name: string; created: number }[] = [];
    for (const [source, ofSource] of bySource(parentsFirst(wanted))) {
      created.push(...(await fill(source, ofSource, filling)));
    }
    return { seed, collections: created };
  });
}

/** Try with other values where the database refuses the records, a bounded number of times. Nothing of a refused try is kept. */
async function fill(source: DataSource, collections: readonly StoredCollection[], filling: Filling) {
  const rules = (await source.rules?.()) ?? new Map();
  for (let refusals = 0; ; refusals++) {
    const random = createSeededRandom(filling.seed + refusals);
    let name = '';
    try {
      return await source.transaction(async (store) => {
        const created: { name: string; created: number }[] = [];
        for (const collection of collections) {
          name = collection.schema.name;
          const records = await recordsFor(collection, { ...filling, rules, random, refusals, store });
          for (let start = 0; start < records.length; start += batchSize) {
            await store.create(name, records.slice(start, start + batchSize), anywhere);
          }
          created.push({ name, created: records.length });
        }
        return created;
      }, anywhere);
    } catch (cause) {
      const mayFitNext = isCloudError(cause) && cause.code === 'DATABASE_CONSTRAINT_VIOLATED';
      if (!mayFitNext || refusals + 1 >= mostAttempts) throw notFitting(name, cause);
    }
  }
}

/** What the database says of its refusal names columns at most. */
function notFitting(collection: string, cause: unknown): unknown {
  if (!isCloudError(cause) || cause.kind !== 'user' || cause.code === 'USAGE_INVALID') return cause;
  return cloudError(
    'USAGE_INVALID',
    `The records made for "${collection}" do not fit: ${cause.message}`,
    'Leave the collection out: name the others with --collection.',
    { cause },
  );
}

export function bySource(
  collections: readonly StoredCollection[],
): ReadonlyMap<DataSource, readonly StoredCollection[]> {
  return Map.groupBy(collections, ({ source }) => source);
}
