import { setImmediate as pause } from 'node:timers/promises';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { RowWriter } from './row-writer.ts';
import { seedActivity } from './seed-activity.ts';
import { seedCustomers } from './seed-customers.ts';
import { seedOrders } from './seed-orders.ts';
import { seedProducts } from './seed-products.ts';
import { createSeededRandom } from './seeded-random.ts';

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
