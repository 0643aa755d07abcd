import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Activity } from '#contracts/activity';
import { toolNames } from '#contracts/mcp';
import type { Agent } from '#runtime/index';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { type CallOptions, call } from '../helpers/rest-call.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const manyOrders = `
  INSERT INTO orders (id, ref, customer_id)
    WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2599)
    SELECT i, 'N-' || i, 2 FROM n;`;
const orderTags = `
  CREATE TABLE tags (id INTEGER PRIMARY KEY, label TEXT);
  CREATE TABLE order_tags (
    order_id INTEGER REFERENCES orders(id), tag_id INTEGER REFERENCES tags(id), PRIMARY KEY (order_id, tag_id)
  );
  INSERT INTO tags VALUES (1, 'a'), (2, 'b'), (3, 'c');
  INSERT INTO order_tags VALUES (1, 1), (1, 2), (1, 3);`;

/** An agent on a shop with more tables, and a platform in memory that it reports to. */
async function setUp(customize: (agent: Agent) => void = () => undefined, moreTables = '', isRequired = false) {
  const platform = createMemoryPlatform();
  const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
  const agent = await startShopAgent(
    customize,
    { activity, activityRequired: isRequired, mcpTools: toolNames },
    moreTables,
  );
  const ask = async (target: string, method = 'GET', body?: unknown) => {
    const options: CallOptions = body === undefined ? { method } : { method, body };
    return (await call(agent, target, options)).status;
  };
  /** The reports, once all of them are sent. */
  const reported = async () => {
    await agent.runtime.stop(10_000);
    return platform.stored.map((act) => told(act, platform.idsOf(act)));
  };
  return { agent, platform, ask, reported };
}

/** A report in one line: what, where, which records, how many, which fields, and how it ended. */
function told({ action, label, collection, recordCount, fields, status }: Activity, ids: readonly string[]): string {
  const shown = ids.length > 4 ? [...ids.slice(0, 2), '…', ids.at(-1)] : ids;
  const what = [action, label ?? '-', collection, shown.join(' ') || '-', String(recordCount)];
  return [...what, ...(fields ? [`(${fields.join()})`] : []), status].join(' ');
}

const selected = (...ids: readonly string[]) => ({ data: { attributes: { ids } } });
const all = (...excluded: readonly string[]) => ({
  data: { attributes: { all_records: true, all_records_ids_excluded: excluded } },
});
const attributes = (values: Readonly<Record<string, unknown>>) => ({ data: { attributes: values } });

describe('the report of a write', () => {
  it('names every record that a selection of all deleted, in parts', async () => {
    const { ask, reported, platform } = await setUp(undefined, manyOrders);
    expect(await ask('/lines', 'DELETE', all())).toBe(204);
    expect(
      await ask('/orders?filters={"field":"id","operator":"greater_than","value":2}', 'DELETE', all('4', '100')),
    ).toBe(204);
    expect(await reported()).toEqual([
      'delete - lines 4|ab 4|a|b 1|ab 3 completed',
      'delete - orders 3 101 … 2599 2500 completed',
    ]);
    const [, deleted] = platform.stored;
    expect(deleted?.recordIds).toHaveLength(1_000);
    expect(new Set(deleted && platform.idsOf(deleted)).size).toBe(2_500);
  });

  it('names every record of a long list', async () => {
    const { ask, reported } = await setUp(undefined, manyOrders);
    const ids = Array.from({ length: 2_500 }, (_, index) => String(index + 100));
    expect(await ask('/orders', 'DELETE', selected(...ids))).toBe(204);
    expect(await reported()).toEqual(['delete - orders 100 101 … 2599 2500 completed']);
  });

  it('names the records that an import made, and no record where all of them were taken back', async () => {
    const { ask, reported } = await setUp();
    const records = ['N-1', 'A-1', 'N-2'].map((ref) => ({ values: { ref, status: 'paid' } }));
    expect(await ask('/_internal/import/orders', 'POST', { mode: 'parts', records })).toBe(200);
    expect(await ask('/_internal/import/orders', 'POST', { mode: 'all', records })).toBe(400);
    expect(await ask('/_internal/import/orders?dryRun=true', 'POST', { mode: 'all', records })).toBe(200);
    expect(await reported()).toEqual([
      'create import orders 5 6 2 (ref,status) completed',
      'create import orders - null failed',
    ]);
  });

  it('names both ends of the links that it changes', async () => {
    const { ask, reported } = await setUp(undefined, `${manyOrders}${orderTags}`);
    const orders = '/customers/1/relationships/orders';
    const asked: [target: string, method: string, body: unknown][] = [
      ['/customers/2/relationships/orders', 'POST', { data: [{ type: 'orders', id: '4' }] }],
      ['/customers/2/relationships/orders', 'DELETE', all('3', '4')],
      [orders, 'DELETE', selected('1', '2')],
      ['/orders/1/relationships/tags', 'DELETE', selected('3')],
      ['/orders/1/relationships/tags', 'DELETE', all('2')],
      ['/orders/1/relationships/tags?delete=true', 'DELETE', all()],
      ['/customers/2/relationships/orders?delete=true', 'DELETE', all('4')],
      ['/customers/1/relationships/nothing', 'DELETE', all()],
    ];
    const statuses: number[] = [];
    for (const each of asked) statuses.push(await ask(...each));
    expect(await reported()).toMatchInlineSnapshot(`
      [
        "update associate orders customers 2 1 completed",
        "update associate orders of customers orders 4 1 completed",
        "update dissociate orders customers 2 1 completed",
        "update dissociate orders of customers orders 100 101 … 2599 2500 completed",
        "update dissociate orders customers 1 1 completed",
        "update dissociate orders of customers orders 1 2 2 completed",
        "update dissociate tags orders 1 1 completed",
        "update dissociate tags of orders tags 3 1 completed",
        "update dissociate tags orders 1 1 completed",
        "update dissociate tags of orders tags 1 1 completed",
        "update dissociate tags orders 1 1 completed",
        "delete dissociate tags of orders tags 2 1 completed",
        "update dissociate orders customers 2 1 completed",
        "delete dissociate orders of customers orders 3 1 completed",
        "update dissociate nothing customers 1 1 failed",
      ]
    `);
    expect(statuses).toEqual([204, 204, 204, 204, 204, 204, 204, 404]);
  });

  it('names the records that an action on all is run on', async () => {
    const runs: number[] = [];
    const { ask, reported } = await setUp((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addAction('Count', {
            scope: 'Bulk',
            execute: async (context) => void runs.push((await context.getRecordIds()).length),
          })
          .addAction('Tidy', { scope: 'Global', execute: () => undefined }),
      );
    }, manyOrders);
    expect(await ask('/_actions/orders/0/count', 'POST', all('3'))).toBe(200);
    expect(await ask('/_actions/orders/0/count', 'POST', selected('1', '2'))).toBe(200);
    expect(await ask('/_actions/orders/1/tidy', 'POST', all())).toBe(200);
    expect(await reported()).toEqual([
      'action Count orders 1 2 … 2599 2503 completed',
      'action Count orders 1 2 2 completed',
      'action Tidy orders - 0 completed',
    ]);
    expect(runs).toEqual([2_503, 2]);
  });

  it('names the fields that it set or changed, and no value', async () => {
    const { ask, reported, platform } = await setUp();
    const order = { ref: 'A-9', total: '1.50', customer_id: 1 };
    expect(await ask('/orders', 'POST', attributes(order))).toBe(200);
    expect(await ask('/customers/1', 'PUT', attributes({ name: 'Xylophone', country: 'FR' }))).toBe(200);
    expect(await ask('/customers/1', 'PUT', attributes({ name: 'Xylophone' }))).toBe(200);
    expect(await ask('/customers/1', 'PUT', attributes({ nothing: 1 }))).toBe(400);
    expect(await reported()).toEqual([
      'create - orders 5 1 (ref,total,customer_id) completed',
      'update - customers 1 1 (name) completed',
      'update - customers 1 1 () completed',
      'update - customers 1 1 failed',
    ]);
    expect(JSON.stringify(platform.stored)).not.toMatch(/Xylophone|A-9/);
  });

  it('names no record when the write failed', async () => {
    const { ask, reported } = await setUp();
    // Lines refer to orders.
    expect(await ask('/orders', 'DELETE', all())).toBe(400);
    expect(await ask('/orders', 'POST', attributes({ ref: 'A-1' }))).toBe(400);
    expect(await reported()).toEqual(['delete - orders - null failed', 'create - orders - null failed']);
  });

  it('names the records that code deletes in the place of the database, and not those that hooks write', async () => {
    const { ask, reported } = await setUp((agent) => {
      agent
        .customizeCollection('lines', (lines) => lines.overrideDelete(() => undefined))
        .customizeCollection('customers', (customers) =>
          customers.addHook('Before', 'Delete', async (context) => {
            await context.dataSource.getCollection('orders').update({}, { customer_id: null });
          }),
        );
    });
    expect(await ask('/lines', 'DELETE', all('1|ab'))).toBe(204);
    expect(await ask('/customers', 'DELETE', all())).toBe(204);
    expect(await reported()).toEqual(['delete - lines 4|ab 4|a|b 2 completed', 'delete - customers 1 2 2 completed']);
  });

  it('says who, through what, when and how long', async () => {
    const { ask, reported, platform } = await setUp(undefined, '', true);
    const before = Date.now();
    await ask('/customers', 'DELETE', selected());
    await reported();
    const [act] = platform.stored;
    expect(act).toMatchObject({
      source: 'rest',
      user: { id: 7, email: 'ada@example.test', name: 'Ada Lovelace', team: 'Operations', role: 'Operations' },
      renderingId: 3,
      durationMs: expect.toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0 && ms < 60_000),
    });
    expect(Date.parse(act?.occurredAt ?? '')).toBeGreaterThanOrEqual(before);
  });
});

describe('the report of a call of an MCP tool', () => {
  it('tells the same as one through the REST API', async () => {
    const { agent, reported, platform } = await setUp();
    const client = new Client({ name: 'test', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${agent.mcpToken}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(agent.mcpUrl), { requestInit }));
    onTestFinished(() => client.close());
    const use = (name: string, input: Readonly<Record<string, unknown>>) =>
      client.callTool({ name, arguments: { collectionName: 'orders', ...input } });
    await use('describeCollection', {});
    await use('list', {});
    await use('list', { search: 'hidden' });
    await use('list', { filters: { field: 'status', operator: 'Equal', value: 'draft' } });
    await use('list', { fields: ['nothing'] });
    await use('list', { collectionName: 'none' });
    await use('listRelated', { parentRecordId: 4, relationName: 'lines' });
    await use('getRecord', { collectionName: 'lines', recordId: [4, 'a|b'] });
    await use('aggregate', { filters: { field: 'status', operator: 'Equal', value: 'draft' } });
    await client.callTool({ name: 'listCollections', arguments: {} });
    expect(await reported()).toEqual([
      'describeCollection - orders - null completed',
      'index - orders - null completed',
      'search - orders - null completed',
      'filter - orders - null completed',
      'index - orders - null failed',
      'listRelatedData lines orders 4 1 completed',
      'read - lines 4|a|b 1 completed',
      'filter - orders - null completed',
    ]);
    expect(platform.stored).toHaveLength(8);
    for (const act of platform.stored) {
      expect(act).toMatchObject({ source: 'mcp', type: 'read', user: { id: 7 } });
      // In the order of time, as the id of the act is: the log is searched by both.
      for (const id of [act.id, act.correlationId]) expect(id).toMatch(/^.{14}7/);
    }
    expect(new Set(platform.stored.map(({ correlationId }) => correlationId)).size).toBe(8);
    expect(JSON.stringify(platform.stored)).not.toMatch(/hidden|draft/);
  });
});
