import { expect, it } from 'vitest';
import { selectCollections } from '#runtime/agent/assemble/select-collections';
import { type Agent, createMemoryDataSource, createSqlDataSource } from '#runtime/index';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, type ShopAgent, type ShopAgentOptions, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

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

it('a dry run says that the deletion is not final', async () => {
  const agent = await startNotesAgent();
  const { json } = await call(agent, '/notes/2?dryRun=true', { method: 'DELETE' });
  expect(json).toMatchObject({ meta: { dryRun: true, records: 1, isFinal: false, alsoDeleted: [] } });
  expect(await statusOf(agent, '/notes/2')).toBe(200);
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
  for (const target of ['/orders/count?deleted=with', '/orders/1?deleted=with', '/orders.csv?deleted=only&header=id']) {
    expect([target, await statusOf(agent, target)]).toEqual([target, 400]);
  }
  const restoring = await call(agent, '/orders/1/restore', { method: 'POST' });
  expect([restoring.status, restoring.text]).toEqual([422, expect.stringContaining('none can be restored')]);
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
      notes.addHook('After', 'Delete', () => void events.push('deleted'));
      notes.addHook('After', 'Update', () => void events.push('update'));
      notes.addHook('Before', 'List', async ({ collection }) => {
        events.push((await collection.list({}, ['id'])).length);
      });
    });
  });
  await call(agent, '/notes/2', { method: 'DELETE' });
  expect(await idsOf(agent, '/notes?deleted=with&fields[notes]=text')).toHaveLength(3);
  await call(agent, '/notes/2/restore', { method: 'POST' });
  expect(events).toEqual(['delete', 'deleted', 2, 'update']);
});

it('charts hide deleted records', async () => {
  const agent = await startNotesAgent();
  await call(agent, '/notes/2', { method: 'DELETE' });
  const chart = { type: 'Value', sourceCollectionName: 'notes', aggregator: 'Count' };
  const { json } = await call(agent, '/stats/notes?deleted=with', { method: 'POST', body: chart });
  expect(json).toMatchObject({ data: { attributes: { value: { countCurrent: 2 } } } });
});

const labelled = `
  create table labels (id integer primary key, name text);
  insert into labels values (1, 'red'), (2, 'blue');
`;

it.each([
  [
    'a composite key',
    'note_id integer references notes (id), label_id integer references labels (id), removed_at datetime, primary key (note_id, label_id)',
  ],
  [
    'a key of its own',
    'id integer primary key, note_id integer references notes (id), label_id integer references labels (id), removed_at datetime, unique (note_id, label_id)',
  ],
])(
  'a link is marked when it is removed and restored when it is made again, through a table with %s',
  async (_, columns) => {
    const junction = `create table note_labels (${columns}); insert into note_labels (note_id, label_id) values (1, 1), (1, 2);`;
    const uri = await createShopFile(undefined, tables + labelled + junction);
    const softDelete = { notes: 'removed_at', note_labels: 'removed_at' };
    const timestamps = { notes: { created: 'created_at' } };
    const agent = await startShopAgent(
      (customizer: Agent) => {
        customizer.customizeCollection('notes', (notes) =>
          notes.addManyToManyRelation('marks', 'labels', 'note_labels', {
            originKey: 'note_id',
            foreignKey: 'label_id',
          }),
        );
      },
      { dataSources: { main: createSqlDataSource(uri, { softDelete, timestamps }) } },
    );
    const links = '/notes/1/relationships/marks';
    const body = { data: [{ type: 'labels', id: '2' }] };
    expect(await statusOf(agent, links, 'DELETE', body)).toBe(204);
    expect(await idsOf(agent, links)).toEqual(['1']);
    expect((await call(agent, '/note_labels/count?deleted=only')).json).toEqual({ count: 1 });
    expect(await statusOf(agent, links, 'POST', body)).toBe(204);
    expect(await idsOf(agent, `${links}?sort=id`)).toEqual(['1', '2']);
    expect((await call(agent, '/note_labels/count?deleted=with')).json).toEqual({ count: 2 });
  },
);

it('a renamed collection hides, shows and restores deleted records', async () => {
  const settings = { softDelete: { notes: 'removed_at' }, timestamps: { notes: { created: 'created_at' } } };
  const notes = createSqlDataSource(await createShopFile(undefined, tables), settings);
  const main = selectCollections(notes, { rename: { notes: 'memos' } }, 'the data source "main"');
  const agent = await startShopAgent(undefined, { dataSources: { main } });
  expect(await statusOf(agent, '/memos/1', 'DELETE')).toBe(204);
  expect(await idsOf(agent, '/memos?sort=id')).toEqual(['2', '3']);
  expect(await idsOf(agent, '/memos?sort=id&deleted=with')).toEqual(['1', '2', '3']);
  const { json } = await call(agent, '/memos/2?fields[memos]=id,parent&fields[parent]=text');
  expect(json).toMatchObject({ data: { relationships: { parent: { data: null } } } });
  expect(await statusOf(agent, '/memos/1/restore', 'POST')).toBe(204);
  expect(await idsOf(agent, '/memos?deleted=only')).toEqual([]);
});

it('deleted records are hidden behind relations that the agent follows, also in lists of deleted ones', async () => {
  const pin = {
    name: 'pins',
    schema: {
      columns: [
        { name: 'id', type: 'Number' },
        { name: 'note_id', type: 'Number' },
      ],
      primaryKey: ['id'],
    },
  } as const;
  const pins = createMemoryDataSource([
    {
      ...pin,
      records: [
        { id: 1, note_id: 2 },
        { id: 2, note_id: 3 },
      ],
    },
  ]);
  const settings = { softDelete: { notes: 'removed_at' }, timestamps: { notes: { created: 'created_at' } } };
  const main = createSqlDataSource(await createShopFile(undefined, tables), settings);
  const agent = await startShopAgent(
    (customizer: Agent) => {
      customizer
        .customizeCollection('pins', (all) => all.addManyToOneRelation('note', 'notes', { foreignKey: 'note_id' }))
        .customizeCollection('notes', (all) => all.addManyToOneRelation('pin', 'pins', { foreignKey: 'parent_id' }));
    },
    { dataSources: { main, pins: async () => pins } },
  );
  await call(agent, '/notes/2', { method: 'DELETE' });
  const noteOf = async (id: number) => (await call(agent, `/pins/${id}?fields[pins]=id,note&fields[note]=text`)).json;
  expect(await noteOf(1)).toMatchObject({ data: { relationships: { note: { data: null } } } });
  expect(await noteOf(2)).toMatchObject({ data: { relationships: { note: { data: { id: '3' } } } } });
  const named = (text: string) => `filters=${JSON.stringify({ field: 'note:text', operator: 'equal', value: text })}`;
  expect(await idsOf(agent, `/pins?${named('second')}`)).toEqual([]);
  const pinned = `filters=${JSON.stringify({ field: 'pin:note:text', operator: 'equal', value: 'second' })}`;
  expect(await idsOf(agent, `/notes?deleted=with&${pinned}`)).toEqual([]);
  await call(agent, '/notes/2/restore', { method: 'POST' });
  expect(await idsOf(agent, `/notes?sort=id&deleted=with&${pinned}`)).toEqual(['2', '3']);
});

it('a restoration does not go through an override of the update', async () => {
  const overridden: unknown[] = [];
  const agent = await startNotesAgent({}, (customizer) => {
    customizer.customizeCollection('notes', (notes) =>
      notes.overrideUpdate(async ({ patch }) => void overridden.push(patch)),
    );
  });
  await call(agent, '/notes/2', { method: 'DELETE' });
  expect(await statusOf(agent, '/notes/2/restore', 'POST')).toBe(204);
  expect(await idsOf(agent, '/notes?sort=id')).toEqual(['1', '2', '3']);
  expect(overridden).toEqual([]);
});

it('a restoration is reported to the platform, by the id of the record', async () => {
  const platform = createMemoryPlatform();
  const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
  const agent = await startNotesAgent({ activity });
  await call(agent, '/notes/2', { method: 'DELETE' });
  expect(await statusOf(agent, '/notes/2/restore', 'POST')).toBe(204);
  await agent.runtime.stop(1_000);
  expect(platform.stored).toMatchObject([
    { action: 'delete', collection: 'notes', recordIds: ['2'], status: 'completed' },
    { type: 'write', action: 'update', label: 'restore', collection: 'notes', recordIds: ['2'], status: 'completed' },
  ]);
});

it('explain shows what hides deleted records, and what shows them', async () => {
  const { runtime } = await startNotesAgent();
  const sqlOf = async (query: string) => (await runtime.explain('notes', query)).statement?.sql;
  expect(await sqlOf('')).toContain('"removed_at" is null');
  expect(await sqlOf('deleted=only')).toContain('"removed_at" is not null');
  await expect(runtime.explain('orders', 'deleted=only')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
});
