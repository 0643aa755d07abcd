/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Pages that lose records                   | "pages of a list without a sort …"
 * A whole table sorted for its first page   | "a page of a table with a text key …"
 */
import { expect, it } from 'vitest';
import { describeOnEngines } from './engines.ts';
import { context, serve } from './requests.ts';

describeOnEngines('Pages', (open, dialect) => {
  it('pages of a list without a sort: together they hold each record once, also while records change', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => `(${index}, ${index % 3})`);
    const { dataSource, execute } = await open([
      'create table t (id int primary key, n int)',
      `insert into t values ${rows.toReversed().join(', ')}`,
    ]);
    const service = serve(dataSource);
    const seen: unknown[] = [];
    for (let skip = 0; skip < 50; skip += 10) {
      const page = { skip, limit: 10 };
      const records = await service.list({ collection: 't', projection: ['id'], page }, context);
      seen.push(...records.map(({ id }) => id));
      // PostgreSQL puts a changed row behind all others.
      await execute(`update t set n = n + 1 where id in (${seen.slice(-5).join(', ')})`);
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => index));
  });

  it('pages of a list with a sort: the key decides among equals', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `(${index}, ${index % 3})`);
    const { dataSource } = await open([
      'create table t (id int primary key, n int)',
      `insert into t values ${rows.toReversed().join(', ')}`,
    ]);
    const sort = [{ field: 'n', ascending: true }];
    const pages = [0, 10, 20].map((skip) =>
      serve(dataSource).list({ collection: 't', projection: ['id', 'n'], sort, page: { skip, limit: 10 } }, context),
    );
    const ids = (await Promise.all(pages)).flat().map(({ id }) => id);
    expect(ids).toEqual([0, 1, 2].flatMap((n) => Array.from({ length: 10 }, (_, index) => 3 * index + n)));
  });

  it('a page of a table with a text key: the index of the key finds it, and nothing is sorted', async () => {
    const rows = Array.from(
      { length: 3000 },
      (_, index) => `('${index % 2 ? 'k' : 'K'}${index}', '${'x'.repeat(100)}')`,
    );
    const { dataSource, execute } = await open([
      'create table t (id varchar(40) primary key, v varchar(200))',
      `insert into t values ${rows.join(', ')}`,
    ]);
    await execute(dialect === 'sqlite' || dialect === 'postgres' ? 'analyze' : 'analyze table t');
    const page = { skip: 0, limit: 10 };
    const service = serve(dataSource);
    const { statement } = await service.explain({ collection: 't', projection: ['id', 'v'], page }, context);
    expect(statement?.steps.join('\n')).not.toMatch(/sort|temp b-tree/i);
    const pages = [0, 1000, 2000].map((skip) =>
      service.list({ collection: 't', projection: ['id'], page: { skip, limit: 1000 } }, context),
    );
    expect(new Set((await Promise.all(pages)).flat().map(({ id }) => id)).size).toBe(3000);
  });
});
