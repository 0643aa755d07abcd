import { setImmediate as pause } from 'node:timers/promises';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { createRowWriter, type RowWriter } from './row-writer.ts';
import { awkwardMoments, dateOnly, momentBetween, timestamp } from './sample-times.ts';
import { reviewBodies, reviewTitles } from './sample-words.ts';
import { seedCustomers } from './seed-customers.ts';
import { seedOrders } from './seed-orders.ts';
import { seedProducts } from './seed-products.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';

const seed = 20_240_229;

export interface SeedOptions {
  /** Everything but the products grows with it. Default 5000, which makes about 92,000 rows. */
  readonly customers?: number;
  /** Gives the work up: nothing is left in the database. */
  readonly signal?: AbortSignal;
}

/**
 * Create the tables of the sample shop in an empty database and fill them, in one transaction. The same options give
 * the same rows, whenever and wherever it runs. Resolves to the number of rows by table. It takes over a second, and lets
 * other work of the process through, such as Ctrl-C.
 */
export async function seedShop(
  connection: SqliteConnection,
  schemaSql: string,
  { customers = 5_000, signal }: SeedOptions = {},
): Promise<Readonly<Record<string, number>>> {
  connection.execute('begin');
  try {
    connection.execute(schemaSql);
    const work = writeRows(connection, customers);
    let step = work.next();
    while (!step.done) {
      await pause();
      signal?.throwIfAborted();
      step = work.next();
    }
    connection.execute('commit');
    return Object.fromEntries(step.value.map((writer) => [writer.table, writer.count()]));
  } catch (error) {
    if (connection.isInTransaction()) connection.execute('rollback');
    throw error;
  }
}

function* writeRows(connection: SqliteConnection, customerCount: number): Generator<undefined, RowWriter[], undefined> {
  const random = createSeededRandom(seed);
  const { products, writers } = seedProducts(connection, random);
  const { customers, writers: customerWriters } = yield* seedCustomers(connection, random, customerCount);
  const orderWriters = yield* seedOrders(connection, random, customers, products);
  const activityWriters = seedActivity(connection, random, customerCount, products.length);
  return [...writers, ...customerWriters, ...orderWriters, ...activityWriters];
}

const activityFrom = Date.UTC(2023, 0, 1);
const activityTo = Date.UTC(2025, 11, 31);
const activityActions = [
  'order.viewed',
  'order.refunded',
  'product.repriced',
  'customer.merged',
  'export.started',
] as const;
const activityActors = ['ada', 'grace', 'linus', 'nightly-job'] as const;

/** Reviews, keyed by UUID, and the audit events of a table without a key. */
function seedActivity(
  connection: SqliteConnection,
  random: SeededRandom,
  customerCount: number,
  productCount: number,
): RowWriter[] {
  const reviewColumns = ['id', 'product_id', 'customer_id', 'rating', 'title', 'body', 'is_verified', 'published_on'];
  const reviews = createRowWriter(connection, 'reviews', reviewColumns);
  for (let index = 0; index < Math.round(customerCount * 1.2); index++) {
    reviews.write(
      random.uuid(),
      random.integer(1, productCount),
      random.integer(1, customerCount),
      random.pick([1, 2, 3, 4, 4, 5, 5, 5]),
      random.chance(0.3) ? null : random.pick(reviewTitles),
      random.chance(0.4) ? null : random.pick(reviewBodies),
      random.chance(0.7),
      dateOnly(awkwardMoments[index] ?? momentBetween(random, activityFrom, activityTo)),
    );
  }

  const events = createRowWriter(connection, 'audit_events', ['occurred_at', 'actor', 'action', 'subject', 'payload']);
  const eventCount = Math.round(customerCount * 0.6);
  for (let index = 0; index < eventCount; index++) {
    events.write(
      timestamp(activityFrom + Math.floor(((activityTo - activityFrom) * index) / eventCount / 1000) * 1000),
      random.pick(activityActors),
      random.pick(activityActions),
      random.chance(0.1) ? null : `customers/${random.integer(1, customerCount)}`,
      random.chance(0.5)
        ? null
        : JSON.stringify({ ip: `192.0.2.${random.integer(1, 254)}`, attempt: random.integer(1, 3) }),
    );
  }
  return [reviews, events];
}
