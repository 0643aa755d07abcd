import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { seedActivity } from './seed-activity.ts';
import { seedCustomers } from './seed-customers.ts';
import { seedOrders } from './seed-orders.ts';
import { seedProducts } from './seed-products.ts';
import { createSeededRandom } from './seeded-random.ts';

const seed = 20_240_229;

export interface SeedOptions {
  /** Everything but the products grows with it. Default 5000, which makes about 92,000 rows. */
  readonly customers?: number;
}

/**
 * Create the tables of the sample shop in an empty database and fill them, in one transaction. The same options give
 * the same rows, whenever and wherever it runs. Returns the number of rows by table.
 */
export function seedShop(
  connection: SqliteConnection,
  schemaSql: string,
  { customers: customerCount = 5_000 }: SeedOptions = {},
): Readonly<Record<string, number>> {
  return connection.transaction(() => {
    connection.execute(schemaSql);
    const random = createSeededRandom(seed);
    const { products, writers: productWriters } = seedProducts(connection, random);
    const { customers, writers: customerWriters } = seedCustomers(connection, random, customerCount);
    const orderWriters = seedOrders(connection, random, customers, products);
    const activityWriters = seedActivity(connection, random, customerCount, products.length);
    const writers = [...productWriters, ...customerWriters, ...orderWriters, ...activityWriters];
    return Object.fromEntries(writers.map((writer) => [writer.table, writer.count()]));
  });
}
