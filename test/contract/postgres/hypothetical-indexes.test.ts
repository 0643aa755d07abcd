import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';

/** The address of a database that has the extension hypopg, which comes with no PostgreSQL of the tests. */
const uri = process.env['HYPOPG_URL'] ?? '';
const reason = uri === '' ? ' (skipped: HYPOPG_URL names no database with the extension hypopg)' : '';

describe.skipIf(uri === '')(`the estimate of an index on PostgreSQL${reason}`, () => {
  let source: DataSource;
  const run = async (script: string) => {
    const client = new Client(uri);
    await client.connect();
    try {
      return await client.query(script);
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    await run(`create extension if not exists hypopg; drop table if exists measured;
      create table measured (id int primary key, status text, at timestamptz);
      insert into measured select n, 's' || n % 5000, now() from generate_series(1, 50000) n; analyze measured;`);
    source = await createSqlDataSource(uri, { poolSize: 1 })();
  });
  afterAll(async () => {
    await source?.close();
    await run('drop table measured');
  });

  it('is that of the planner, without an index that is built', async () => {
    const where = { field: 'status', operator: 'Equal', value: 'x' } as const;
    const query = { collection: 'measured', projection: ['id'], where, page: { skip: 0, limit: 15 } };
    for (let again = 0; again < 3; again++) {
      const advice = await source.adviseIndex?.(query, { timezone: 'UTC' });
      expect(advice?.note).toBeUndefined();
      expect(advice?.plan.join()).toContain('Seq Scan');
      const { costNow = 0, costThen = 0 } = advice?.estimate ?? {};
      expect(costThen).toBeGreaterThan(0);
      expect(costThen).toBeLessThan(costNow / 2);
    }
    const { steps = [] } = (await source.explain?.(query, { timezone: 'UTC' })) ?? {};
    expect(steps.join()).toContain('Seq Scan');
    expect((await run(`select 1 from pg_indexes where tablename = 'measured'`)).rowCount).toBe(1);
  });
});
