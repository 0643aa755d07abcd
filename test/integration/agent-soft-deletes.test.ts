import { expect, it } from 'vitest';
import { type Agent, createSqlDataSource } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, type ShopAgent, type ShopAgentOptions, startShopAgent } from '../helpers/shop-agent.ts';

const tables = `
  create table notes (id integer primary key, text text, parent_id integer references notes (id), removed_at datetime,
    created_at datetime not null);
  insert into notes (id, text, parent_id, created_at) values (1, 'first', null, '2020-01-02'), (2, 'second', 1, '2020-01-02'),
    (3, 'third', 1, '2020-01-02');
`;

async function startNotesAgent(
  options: ShopAgentOptions = {},
  customize?: (agent: Agent) => void,
  more = '',
): Promise<ShopAgent> {
  const uri = await createShopFile(undefined, tables + more);
  const settings = { softDelete: { notes: 'removed_at' }, timestamps: { notes: { created: 'created_at' } } };
  return startShopAgent(customize, { dataSources: { main: createSqlDataSource(uri, settings) }, ...options });
}

async function idsOf(agent: ShopAgent, target: string): Promise<readonly string[]> {
  const { json, status } = await call(agent, target);
  expect(status).toBe(200);
  return (json as { data: readonly { id: string }[] }).data.map(({ id }) => id);
}

const statusOf = async (agent: ShopAgent, target: string, method = 'GET', body?: unknown) =>
  (await call(agent, target, { method, body })).status;

it('a deleted record is hidden, listed on demand and restored', async () => {
  const agent = await startNotesAgent();
  expect(await statusOf(agent, '/notes/2', 'DELETE')).toBe(204);
  expect(await idsOf(agent, '/notes?sort=id')).toEqual(['1', '3']);
  expect(await idsOf(agent, '/notes?sort=id&fields[notes]=id,text')).toEqual(['1', '3']);
  expect(await idsOf(agent, '/notes?sort=id&fields[notes]=id,text&deleted=only')).toEqual(['2']);
  expect(await idsOf(agent, '/notes?sort=id&deleted=with')).toEqual(['1', '2', '3']);
  expect(await idsOf(agent, '/notes?search=second')).toEqual([]);
  expect(await idsOf(agent, '/notes?search=second&deleted=only')).toEqual(['2']);
  expect((await call(agent, '/notes/count?deleted=only')).json).toEqual({ count: 1 });
  expect((await call(agent, '/notes.csv?fields[notes]=text&deleted=only&header=text')).text).toContain('second');
  expect((await call(agent, '/notes.csv?fields[notes]=text&header=text')).text).not.toContain('second');
  expect([await statusOf(agent, '/notes/2'), await statusOf(agent, '/notes/2?deleted=with')]).toEqual([404, 200]);

  expect(await statusOf(agent, '/notes/2/restore', 'POST')).toBe(204);
  expect(await statusOf(agent, '/notes/2/restore', 'POST')).toBe(404);
  expect(await idsOf(agent, '/notes?sort=id')).toEqual(['1', '2', '3']);
});

it('deleted related records are listed from a record that is there', async () => {
  const agent = await startNotesAgent();
  await call(agent, '/notes/2', { method: 'DELETE' });
  const related = '/notes/1/relationships/notes';
  expect(await idsOf(agent, `${related}?sort=id`)).toEqual(['3']);
  expect(await idsOf(agent, `${related}?sort=id&deleted=only`)).toEqual(['2']);
});

it('a selection never reaches deleted records', async () => {
  const agent = await startNotesAgent();
  await call(agent, '/notes/2', { method: 'DELETE' });
  const attributes = { all_records: true, all_records_ids_excluded: [], all_records_subset_query: { deleted: 'only' } };
  expect(await statusOf(agent, '/notes', 'DELETE', { data: { attributes } })).toBe(422);
  expect(await statusOf(agent, '/notes', 'DELETE', { data: { attributes: { ids: ['2', '3'] } } })).toBe(204);
  expect(await idsOf(agent, '/notes')).toEqual(['1']);
});

it('the parameter "deleted" is refused where it says nothing', async () => {
  const agent = await startNotesAgent();
  const notMarked = await call(agent, '/orders?deleted=only');
  expect([notMarked.status, notMarked.text]).toEqual([400, expect.stringContaining('there are no deleted ones')]);
  expect(await statusOf(agent, '/notes?deleted=all')).toBe(400);
  expect(await statusOf(agent, '/orders/1/restore', 'POST')).toBe(404);
});

it('restoring asks for the right to delete, and keeps to the scope', async () => {
  const all = { browseEnabled: true, readEnabled: true, editEnabled: true, addEnabled: true };
  const editor = await startNotesAgent({ platform: platformOfRole({ rights: { notes: all } }) });
  expect(await statusOf(editor, '/notes/2/restore', 'POST')).toBe(403);

  const filter = { field: 'text', operator: 'equal', value: 'third' };
  const scopes = { notes: { aggregator: 'and', conditions: [filter] } };
  const removed = "update notes set removed_at = '2020-01-03' where id = 2;";
  const rights = { notes: { ...all, deleteEnabled: true } };
  const scoped = await startNotesAgent({ platform: platformOfRole({ rights, scopes }) }, undefined, removed);
  expect(await statusOf(scoped, '/notes/3', 'DELETE')).toBe(204);
  expect(await statusOf(scoped, '/notes/3/restore', 'POST')).toBe(204);
  expect(await statusOf(scoped, '/notes/2/restore', 'POST')).toBe(404);
});

it('hooks run for a deletion and a restoration, and handlers see no deleted records', async () => {
  const events: unknown[] = [];
  const agent = await startNotesAgent({}, (customizer) => {
    customizer.customizeCollection('notes', (notes) => {
      notes.addHook('Before', 'Delete', () => void events.push('delete'));
      notes.addHook('After', 'Update', () => void events.push('update'));
      notes.addHook('Before', 'List', async ({ collection }) => {
        events.push((await collection.list({}, ['id'])).length);
      });
    });
  });
  await call(agent, '/notes/2', { method: 'DELETE' });
  expect(await idsOf(agent, '/notes?deleted=with&fields[notes]=text')).toHaveLength(3);
  await call(agent, '/notes/2/restore', { method: 'POST' });
  expect(events).toEqual(['delete', 2, 'update']);
});

it('a created record takes its time from the data source', async () => {
  const agent = await startNotesAgent();
  const body = { data: { type: 'notes', attributes: { text: 'new' } } };
  const { status, json } = await call(agent, '/notes', { method: 'POST', body });
  expect([status, json]).toMatchObject([
    200,
    { data: { attributes: { text: 'new', created_at: expect.stringMatching(/^20\d\d-/), removed_at: null } } },
  ]);
});
