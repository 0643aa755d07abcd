import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { seedShop } from '#project/sample-data/seed-shop';

const schemaPath = new URL('../../../../templates/shop/schema.sql', import.meta.url);

let folder: string;
let shop: SqliteConnection;
let counts: Readonly<Record<string, number>>;

async function seeded(file: string, customers?: number) {
  const connection = await openSqlite(path.join(folder, file));
  const schema = await readFile(schemaPath, 'utf8');
  const rows = await seedShop(connection, schema, customers === undefined ? {} : { customers });
  return { connection, rows };
}

function hashOfAllRows(connection: SqliteConnection, tables: readonly string[]): string {
  const hash = createHash('sha256');
  for (const table of tables) hash.update(JSON.stringify(connection.all(`select * from ${table} order by rowid`)));
  return hash.digest('hex');
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'seed-'));
  ({ connection: shop, rows: counts } = await seeded('shop.sqlite'));
});

afterAll(async () => {
  shop.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the sample shop', () => {
  it('has more than 50,000 rows, as many as it says', () => {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(50_000);
    for (const [table, count] of Object.entries(counts)) {
      expect([table, shop.all(`select count(*) as n from ${table}`)[0]?.['n']]).toEqual([table, count]);
    }
  });

  it('has the same rows on every run', () => {
    expect(hashOfAllRows(shop, Object.keys(counts))).toBe(
      '65b910c3e7022ba3d5d1cfd6e003a024f311bd593d037f3899b6eb3f96d14dff',
    );
  });

  it('keeps every reference and check', () => {
    expect(shop.all('pragma foreign_key_check')).toEqual([]);
    expect(shop.all('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('has totals that are the sums of their items to the cent', () => {
    const wrong = shop.all(`
      select o.id from orders o join order_items i on i.order_id = o.id
      group by o.id having round(o.total * 100) <> round(sum(i.quantity * i.unit_price) * 100)`);
    expect(wrong).toEqual([]);
  });

  it('has the values that programs stumble over', () => {
    const count = (sql: string) => Number(shop.all(`select count(*) as n from ${sql}`)[0]?.['n']);
    expect(count(`orders where ordered_at like '2024-02-29%'`)).toBeGreaterThan(0);
    expect(count(`orders where ordered_at = '2024-10-27T00:30:00.000Z'`)).toBeGreaterThan(0);
    expect(count(`customers where birth_date = '2000-02-29'`)).toBeGreaterThan(0);
    expect(count('customers where phone is null')).toBeGreaterThan(0);
    expect(count(`customers where last_name = '佐藤'`)).toBeGreaterThan(0);
    expect(count(`customers where last_name = 'O''Connor'`)).toBeGreaterThan(0);
    expect(count('categories where parent_id is not null')).toBeGreaterThan(0);
    expect(count('orders o where not exists (select 1 from payments p where p.order_id = o.id)')).toBeGreaterThan(0);
    expect(count('customers c where not exists (select 1 from orders o where o.customer_id = c.id)')).toBeGreaterThan(
      0,
    );
  });

  it('grows and shrinks with the customers', async () => {
    const { connection, rows } = await seeded('small.sqlite', 50);
    expect(rows).toMatchObject({ customers: 50, orders: 200, products: 800 });
    connection.close();
  });

  it('is all there or not at all', async () => {
    const connection = await openSqlite(path.join(folder, 'broken.sqlite'));
    const schema = await readFile(schemaPath, 'utf8');
    const broken = schema.replace('create table payments', 'create table other_payments');
    await expect(seedShop(connection, broken)).rejects.toThrow('SQLITE_ERROR');
    expect(connection.all('select name from sqlite_schema')).toEqual([]);
    connection.close();
  });

  it('is given up within its work, and leaves nothing in the database', async () => {
    const connection = await openSqlite(path.join(folder, 'given-up.sqlite'));
    const interrupt = new AbortController();
    const seeding = seedShop(connection, await readFile(schemaPath, 'utf8'), { signal: interrupt.signal });
    setImmediate(() => interrupt.abort(new Error('interrupted')));
    await expect(seeding).rejects.toThrow('interrupted');
    expect(connection.all('select name from sqlite_schema')).toEqual([]);
    connection.close();
  });
});
