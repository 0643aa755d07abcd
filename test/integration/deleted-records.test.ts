import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/exports/index.ts';
import { openShopTestAgent, type ShopTestAgent } from '../helpers/shop-test-agent.ts';

const tables = `
  create table notes (id integer primary key, text text, parent_id integer references notes (id), removed_at datetime,
    created_at datetime not null);
  insert into notes (id, text, parent_id, created_at) values (1, 'first', null, '2020-01-02'), (2, 'second', 1, '2020-01-02'),
    (3, 'third', 1, '2020-01-02');`;

const seen: unknown[] = [];
function customize(agent: Agent): void {
  agent.customizeCollection('notes', (notes) =>
    notes
      .addAction('Shout', {
        scope: 'Bulk',
        execute: async (context) => void seen.push(await context.getRecords(['id'])),
      })
      .addChart('restore', (_context, result) => result.value(1)),
  );
}

describe('deleted records, where deletion marks them', () => {
  let shop: ShopTestAgent;
  beforeAll(async () => {
    shop = await openShopTestAgent({
      customize,
      moreTables: tables,
      sqlOptions: { softDelete: { notes: 'removed_at' }, timestamps: { notes: { created: 'created_at' } } },
    });
    await shop.client.collection('notes').delete([2]);
  });
  afterAll(() => shop?.close());
  const notes = () => shop.client.collection('notes');
  const byId = { sort: { field: 'id', ascending: true } };
  const idsOf = (records: readonly Readonly<Record<string, unknown>>[]) => records.map(({ id }) => id);

  it('are hidden, and listed on demand', async () => {
    expect(idsOf(await notes().list(byId))).toEqual([1, 3]);
    expect(idsOf(await notes().list({ ...byId, deleted: 'only' }))).toEqual([2]);
    expect(idsOf(await notes().list({ ...byId, deleted: 'with' }))).toEqual([1, 2, 3]);
    expect(await notes().search('second')).toEqual([]);
    expect(idsOf(await notes().search('second', { deleted: 'only' }))).toEqual([2]);
    expect(await notes().count({ deleted: 'only' })).toBe(1);
    await expect(notes().getOne(2)).rejects.toMatchObject({ status: 404 });
  });

  it('are exported on demand', async () => {
    const fields = ['text'];
    expect(await notes().exportCsvText({ fields, deleted: 'only' })).toBe('text\nsecond\n');
    expect(await notes().exportCsvText({ fields })).not.toContain('second');
  });

  it('are listed behind a record that is there', async () => {
    const replies = notes().relation('notes', 1);
    expect(idsOf(await replies.list(byId))).toEqual([3]);
    expect(idsOf(await replies.list({ ...byId, deleted: 'only' }))).toEqual([2]);
  });

  it('are reached by no action', async () => {
    await (await notes().action('Shout', { recordIds: [2, 3] })).execute();
    await (await notes().action('Shout', { all: {} })).execute();
    expect(seen).toEqual([[{ id: 3 }], [{ id: 1 }, { id: 3 }]]);
    const everything = await notes().action('Shout', { all: { deleted: 'with' } });
    await expect(everything.execute()).rejects.toMatchObject({ status: 422 });
    expect(seen).toHaveLength(2);
  });

  it('leave the name "restore" to charts', async () => {
    expect(await notes().valueChart('restore', { recordId: 1 })).toEqual({ countCurrent: 1 });
  });

  it('are absent where nothing is marked', async () => {
    const orders = shop.client.collection('orders');
    const words = expect.stringContaining('there are no deleted ones');
    await expect(orders.list({ deleted: 'only' })).rejects.toMatchObject({ status: 400, responseText: words });
    await expect(orders.restore(1)).rejects.toMatchObject({ status: 422 });
  });

  it('come back once', async () => {
    await notes().restore(2);
    await expect(notes().restore(2)).rejects.toMatchObject({ status: 404 });
    expect(idsOf(await notes().list(byId))).toEqual([1, 2, 3]);
  });

  it('are not what is created after them: the data source sets the time', async () => {
    const created = await notes().create({ text: 'new' });
    expect(created).toMatchObject({ text: 'new', createdAt: expect.stringMatching(/^20\d\d-/), removedAt: null });
  });
});
