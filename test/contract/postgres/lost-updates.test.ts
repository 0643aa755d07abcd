import { expect, it, onTestFinished } from 'vitest';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { utc } from '../data-source/opened.ts';
import { describeLostUpdates } from '../permissions/lost-update-suite.ts';
import { shop, tablesOf } from '../permissions/shop-data.ts';

const server = usePostgresServer();

describeLostUpdates('PostgreSQL', (tables) => server.openDataSource(createTablesSql('postgres', tables).join(';\n')), {
  hasDocuments: true,
});

it.each(['update', 'delete'] as const)(
  'a write that has waited for another one looks at its row again, also among related records: %s',
  async (verb) => {
    const script = createTablesSql('postgres', tablesOf({ ...shop, lines: [] })).join(';\n');
    const database = await server.createDatabase(script);
    const source = await createDataSourceOn(await openPostgresEngine(server.parameters(database)));
    onTestFinished(() => source.close());
    const isPaid = { field: 'status', operator: 'Equal', value: 'paid' } as const;
    const isInParis = { field: 'customer:city', operator: 'Equal', value: 'Paris' } as const;
    const where = { aggregator: 'And', conditions: [isPaid, isInParis] } as const;
    const blocked = `select count(*)::int as count from pg_stat_activity
      where datname = '${database}' and wait_event_type = 'Lock'`;
    const late = await source.transaction(async (store) => {
      await store.update('orders', { field: 'id', operator: 'Equal', value: 1 }, { status: 'open' }, utc);
      const waiting =
        verb === 'update' ? source.update('orders', where, { total: 99 }, utc) : source.delete('orders', where, utc);
      await expect.poll(async () => (await server.execute('postgres', blocked))[0]?.['count']).toBe(1);
      return { waiting };
    }, utc);
    expect(await late.waiting).toBe(0);
    expect(await source.count('orders', undefined, utc)).toBe(shop.orders.length);
  },
);

it('a locked read waits for who writes the row, and sees what they wrote', async () => {
  const script = createTablesSql('postgres', tablesOf({ ...shop, lines: [] })).join(';\n');
  const database = await server.createDatabase(script);
  const source = await createDataSourceOn(await openPostgresEngine(server.parameters(database)));
  onTestFinished(() => source.close());
  const first = { field: 'id', operator: 'Equal', value: 1 } as const;
  const blocked = `select count(*)::int as count from pg_stat_activity
    where datname = '${database}' and wait_event_type = 'Lock'`;
  const late = await source.transaction(async (store) => {
    await store.update('orders', first, { status: 'seen late' }, utc);
    const reading = source.transaction(
      async (inside) => inside.listLocked?.('orders', ['id', 'status'], first, utc),
      utc,
    );
    await expect.poll(async () => (await server.execute('postgres', blocked))[0]?.['count']).toBe(1);
    return { reading };
  }, utc);
  expect(await late.reading).toEqual([{ id: 1, status: 'seen late' }]);
});
