import { describe, expect, it } from 'vitest';
import type { ActivityValues } from '#contracts/history';
import { shownHistorySchema } from '#contracts/history';
import { toolNames } from '#contracts/mcp';
import type { Agent } from '#runtime/index';
import { createMemoryPlatform } from '../helpers/activity-outbox.ts';
import { document, type Person, seeing, startApprovalShop } from '../helpers/approval-shop.ts';
import { eventually } from '../helpers/eventually.ts';
import { mcpCall } from '../helpers/mcp-call.ts';
import { call } from '../helpers/rest-call.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const attributes = (values: Readonly<Record<string, unknown>>) => ({ data: { attributes: values } });
const ofOrders = { data: { type: 'orders' } };

describe('the report of a write to a collection that keeps its history', () => {
  async function start(customize: (agent: Agent) => void, moreTables = '') {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const agent = await startShopAgent(customize, { activity, mcpTools: toolNames }, moreTables);
    const ask = async (target: string, method: string, body?: object) =>
      (await call(agent, target, { method, ...(body ? { body } : {}) })).status;
    /** What was told of the values of each write, once all is sent. */
    const told = async (): Promise<readonly (ActivityValues['values'] | undefined)[]> => {
      await agent.runtime.stop(10_000);
      return platform.stored.filter(({ type }) => type === 'write').map((act) => platform.valuesOf(act));
    };
    return { agent, ask, told };
  }

  const keeping = (agent: Agent) => {
    agent.customizeCollection('orders', (orders) =>
      orders
        .keepHistory()
        .removeField('placed_at')
        .addHook('Before', 'Update', ({ patch }) => {
          if (patch['status'] === 'paid') patch['total'] = '99';
        }),
    );
  };

  it('has the values before and after it, as hooks left them, through REST and MCP', async () => {
    const { agent, ask, told } = await start(keeping);
    expect(await ask('/orders/2', 'PUT', attributes({ status: 'paid', ref: 'A-2' }))).toBe(200);
    expect(await ask('/orders', 'POST', attributes({ id: 9, ref: 'A-9' }))).toBe(200);
    expect(await ask('/orders/9', 'DELETE')).toBe(204);
    const args = { collectionName: 'orders', recordId: 3, attributes: { ref: 'B-3' } };
    expect((await mcpCall(agent, 'update', args)).result.isError).toBeFalsy();
    expect(await ask('/customers/1', 'PUT', attributes({ name: 'Zoe' }))).toBe(200);
    expect(await told()).toEqual([
      {
        records: [
          {
            recordId: '2',
            before: { status: 'draft', total: '20.00' },
            after: { status: 'paid', total: '99.00' },
            unkept: {},
          },
        ],
      },
      { records: [{ recordId: '9', before: null, after: { id: 9, ref: 'A-9', status: 'draft' }, unkept: {} }] },
      {
        records: [
          {
            recordId: '9',
            before: { id: 9, ref: 'A-9', status: 'draft', total: null, customer_id: null },
            after: null,
            unkept: { placed_at: 'hidden' },
          },
        ],
      },
      { records: [{ recordId: '3', before: { ref: 'A-3' }, after: { ref: 'B-3' }, unkept: {} }] },
      // Nothing is kept of a collection that does not say so.
      undefined,
    ]);
  });

  it('says why there are no values, and for which fields', async () => {
    const tables = `
      CREATE TABLE accounts (id INTEGER PRIMARY KEY, api_token TEXT, photo BLOB, note TEXT, size REAL);
      INSERT INTO accounts VALUES (1, 'hush', x'00', 'short', 1.5);
      CREATE TABLE points (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101) INSERT INTO points SELECT i FROM n;`;
    const { ask, told } = await start((agent) => {
      agent
        .customizeCollection('accounts', (accounts) => accounts.keepHistory())
        .customizeCollection('points', (points) => points.keepHistory())
        .customizeCollection('customers', (customers) => customers.keepHistory().overrideUpdate(() => undefined));
    }, tables);
    const changed = { api_token: 'hush hush', note: 'x'.repeat(20_000), size: 2 };
    expect(await ask('/accounts/1', 'PUT', attributes(changed))).toBe(200);
    expect(
      await ask('/points', 'DELETE', { data: { attributes: { all_records: true, all_records_ids_excluded: [] } } }),
    ).toBe(204);
    expect(await ask('/customers/1', 'PUT', attributes({ name: 'Zoe' }))).toBe(200);
    expect(await told()).toEqual([
      {
        records: [
          {
            ...{ recordId: '1', before: { size: 1.5 }, after: { size: 2 } },
            unkept: { api_token: 'secret', note: 'long' },
          },
        ],
      },
      { unkept: 'tooMany' },
      { unkept: 'override' },
    ]);
  });
});

describe('the history of a record', () => {
  const all = { ...seeing, edit: true, add: true, delete: true };
  const paid = { field: 'status', operator: 'equal', value: 'paid' };
  const roles = {
    ...document.roles,
    Editors: { collections: { orders: all, customers: seeing } },
    Stewards: { collections: { orders: all, customers: seeing, lines: seeing } },
    Clerks: { collections: { orders: { ...all, fields: { total: false, ref: { read: 'last4' } } } } },
    Cashiers: { collections: { orders: { ...seeing, scope: paid } } },
  };

  async function start(isKept = true) {
    const shop = await startApprovalShop({}, isKept ? (orders) => orders.keepHistory() : undefined);
    await shop.setRights({ roles });
    const { atAgent } = shop;
    const read = async (by: Person, id: string) => {
      const answer = await atAgent(by, 'GET', `/_internal/history/orders/${id}`);
      return answer.status === 200 ? shownHistorySchema.parse(answer.json) : answer.status;
    };
    /** Once the platform has this many writes. */
    const written = (by: Person, id: string, count: number) =>
      eventually(async () => {
        const history = await read(by, id);
        if (typeof history === 'number') throw new Error(`The answer has the status ${history}.`);
        expect(history.writes).toHaveLength(count);
        return history.writes;
      });
    const undo = (by: Person, id: string, sequence: number | undefined, more: object = {}) =>
      atAgent(by, 'POST', `/_internal/history/orders/${id}/undo`, attributes({ sequence, ...more }));
    return { ...shop, read, written, undo };
  }

  it('shows values by the rights of today, and takes an update back unless somebody has changed it', {
    tags: 'long',
  }, async () => {
    const { join, atAgent, written, undo } = await start();
    const eve = await join('Eve', 'Editors');
    const cleo = await join('Cleo', 'Clerks');
    expect((await atAgent(eve, 'PUT', '/orders/2', attributes({ ref: 'LONG-2', total: '25' }))).status).toBe(200);
    const [write] = await written(eve, '2', 1);
    expect(write).toMatchObject({
      ...{ action: 'update', user: { email: 'eve@example.test' }, isUndoable: true },
      ...{ before: { ref: 'A-2', total: '20.00' }, after: { ref: 'LONG-2', total: '25.00' } },
    });
    // Clerks know of no totals, and see a mask of the reference.
    const [hidden] = await written(cleo, '2', 1);
    expect(hidden).toMatchObject({
      before: { ref: '···2' },
      after: { ref: '···G-2' },
      fields: ['ref'],
      isUndoable: false,
    });
    expect(JSON.stringify(hidden)).not.toContain('total');
    expect((await undo(cleo, '2', write?.sequence)).status).toBe(422);

    expect((await atAgent(eve, 'PUT', '/orders/2', attributes({ total: '30' }))).status).toBe(200);
    const conflict = await undo(eve, '2', write?.sequence);
    expect([conflict.status, conflict.text]).toEqual([409, expect.stringContaining('"total"')]);
    const [second] = await written(eve, '2', 2);
    expect(await undo(eve, '2', second?.sequence)).toMatchObject({ status: 200, json: { undone: 'update' } });
    expect((await undo(eve, '2', write?.sequence)).status).toBe(200);
    const order = await atAgent(eve, 'GET', '/orders/2');
    expect(order.json).toMatchObject({ data: { attributes: { ref: 'A-2', total: '20.00' } } });
    const writes = await written(eve, '2', 4);
    expect(writes.map(({ label }) => label)).toEqual(['undo', 'undo', undefined, undefined]);
    expect((await undo(eve, '2', 9_999)).status).toBe(404);
  });

  it('shows a deleted record to people whose scope its values meet, and brings it back with its key', async () => {
    const { join, atAgent, read, written, undo } = await start();
    const eve = await join('Eve', 'Editors');
    const cash = await join('Cash', 'Cashiers');
    expect([await read(cash, '2'), await read(cash, '77')]).toEqual([404, 404]);
    for (const id of ['2', '4'])
      expect((await atAgent(eve, 'PUT', `/orders/${id}`, attributes({ total: '1' }))).status).toBe(200);
    const lines = await atAgent(eve, 'DELETE', '/orders/2');
    expect(lines.status).toBe(204);
    const [deletion] = await written(eve, '2', 2);
    expect(deletion).toMatchObject({
      action: 'delete',
      before: { id: 2, status: 'draft', total: '1.00' },
      after: null,
    });
    expect(await read(cash, '2')).toBe(404);
    expect(await read(cash, '4')).toMatchObject({ writes: [{ action: 'update' }] });

    expect(await undo(eve, '2', deletion?.sequence)).toMatchObject({ status: 200, json: { undone: 'delete' } });
    const order = await atAgent(eve, 'GET', '/orders/2');
    expect(order.json).toMatchObject({ data: { id: '2', attributes: { ref: 'A-2', total: '1.00', status: 'draft' } } });
    expect((await undo(eve, '2', deletion?.sequence)).status).toBeGreaterThanOrEqual(400);

    const made = await atAgent(eve, 'POST', '/orders', attributes({ id: 50, ref: 'P-1', status: 'paid' }));
    expect(made.status).toBe(200);
    expect((await atAgent(eve, 'DELETE', '/orders/50')).status).toBe(204);
    await written(eve, '50', 2);
    expect(await read(cash, '50')).toMatchObject({ writes: [{ action: 'delete' }, { action: 'create' }] });
  });

  it('names the records that an undo would break links of, to who may list them, and writes nothing', async () => {
    const { join, atAgent, written, undo, change } = await start();
    const [eve, sam] = [await join('Eve', 'Editors'), await join('Sam', 'Stewards')];
    const cleo = await join('Cleo', 'Clerks');
    const made = await atAgent(eve, 'POST', '/orders', attributes({ id: 50, ref: 'P-1', customer_id: 1 }));
    expect(made.status).toBe(200);
    const [creation] = await written(eve, '50', 1);
    const ties = async (by: Person, id: string, sequence: number | undefined) =>
      (await atAgent(by, 'GET', `/_internal/history/orders/${id}/undo?sequence=${sequence}`)).json;
    const none = { recordIds: [], hasMore: false };
    const key = { collection: 'lines', rule: 'refuse', fields: [{ name: 'order_id', of: 'id' }], ...none };
    expect(await ties(sam, '50', creation?.sequence)).toEqual({ referring: [key], targets: [] });
    await change("insert into lines values (50, 'ab', 1)");
    expect(await ties(sam, '50', creation?.sequence)).toMatchObject({ referring: [{ recordIds: ['50|ab'] }] });
    expect(await ties(eve, '50', creation?.sequence)).toMatchObject({ referring: [{ recordIds: [], hasMore: true }] });
    const refused = [await undo(sam, '50', creation?.sequence), await undo(eve, '50', creation?.sequence)];
    expect(refused.map(({ status }) => status)).toEqual([409, 409]);
    expect(refused[0]?.text).toContain('The database keeps it, because these lead to it: lines 50|ab.');
    expect(refused[1]?.text).toContain('The database keeps it, because these lead to it: records of lines.');
    expect(refused[1]?.text).not.toContain('50|ab');
    expect((await atAgent(eve, 'GET', '/orders/50')).status).toBe(200);
    await change('delete from lines where order_id = 50');
    expect(await undo(eve, '50', creation?.sequence)).toMatchObject({ status: 200, json: { undone: 'create' } });

    // What comes back would lead to a customer who is gone.
    await change("insert into customers values (9, 'Gone', 'FR'); update orders set customer_id = 9 where id = 2");
    expect((await atAgent(eve, 'PUT', '/orders/2', attributes({ customer_id: 1 }))).status).toBe(200);
    const [update] = await written(eve, '2', 1);
    const target = { collection: 'customers', recordId: '9', isMissing: false };
    expect(await ties(eve, '2', update?.sequence)).toEqual({ referring: [], targets: [target] });
    await change('delete from customers where id = 9');
    expect(await ties(eve, '2', update?.sequence)).toMatchObject({ targets: [{ isMissing: true }] });
    expect(await ties(cleo, '2', update?.sequence)).toEqual({ referring: [], targets: [] });
    expect((await undo(eve, '2', update?.sequence)).status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(await ties(eve, '2', 0))).toContain('names no row');
  });

  it('tells whoever may read the record who wrote it, also where no values are kept, and names nothing that is hidden', async () => {
    const { join, atAgent, read, written } = await start(false);
    const eve = await join('Eve', 'Editors');
    const [cleo, cash] = [await join('Cleo', 'Clerks'), await join('Cash', 'Cashiers')];
    expect((await atAgent(eve, 'PUT', '/orders/2', attributes({ ref: 'LONG-2', total: '25' }))).status).toBe(200);
    const customer = { data: { type: 'customers', id: '1' } };
    expect((await atAgent(eve, 'PUT', '/orders/2/relationships/customer', customer)).status).toBe(204);
    const all = await written(eve, '2', 2);
    expect(all).toMatchObject([
      { action: 'update', label: 'link customer', user: { name: 'Eve' } },
      { action: 'update', fields: ['ref', 'total'], isUndoable: false },
    ]);
    expect(all.some((write) => 'before' in write || 'after' in write)).toBe(false);
    // Clerks read neither customers nor totals.
    const seen = await written(cleo, '2', 2);
    expect(seen).toMatchObject([{ action: 'update' }, { action: 'update', fields: ['ref'] }]);
    expect(JSON.stringify(seen)).not.toMatch(/customer|total/);
    expect(await read(cash, '2')).toBe(404);
  });

  it('is refused without a right to read, and says what an undo needs', async () => {
    const { join, read, atAgent } = await start();
    const ben = await join('Ben', 'Blind');
    const eve = await join('Eve', 'Editors');
    expect(await read(ben, '1')).toBe(403);
    expect(await read(eve, '1')).toEqual({ isKept: true, writes: [], next: null });
    const bad = await atAgent(eve, 'POST', '/_internal/history/orders/1/undo', ofOrders);
    expect([bad.status, bad.text]).toEqual([400, expect.stringContaining('names no row')]);
  });
});
