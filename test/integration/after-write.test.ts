import { describe, expect, it } from 'vitest';
import type { Agent, WriteOutcome } from '../../src/exports/index.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const deferred = `
CREATE TABLE parcels (id INTEGER PRIMARY KEY, label TEXT, order_id INTEGER REFERENCES orders(id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO parcels VALUES (1, 'first', 1);`;

interface Told {
  readonly agent: ShopAgent;
  /** Where code asked to be told, and what it was told. */
  readonly heard: readonly (readonly [string, WriteOutcome])[];
}

/** An agent whose handler and hooks ask how the writes of parcels and orders end. */
async function startTold(work: () => unknown = () => undefined): Promise<Told> {
  const heard: [string, WriteOutcome][] = [];
  const customize = (agent: Agent): void => {
    const hear = (place: string) => (outcome: WriteOutcome) => {
      heard.push([place, outcome]);
      return work();
    };
    agent.customizeCollection('parcels', (parcels) =>
      parcels
        .replaceFieldWriting('label', (value, context) => {
          context.afterWrite(hear('handler'));
          return { label: String(value) };
        })
        .addHook('Before', 'Create', ({ afterWrite }) => afterWrite(hear('create')))
        .addHook('Before', 'Update', ({ afterWrite }) => afterWrite(hear('update')))
        .addHook('Before', 'Delete', ({ afterWrite }) => afterWrite(hear('delete'))),
    );
    agent.customizeCollection('orders', (orders) =>
      orders.addHook('Before', 'Update', ({ afterWrite }) => afterWrite(hear('order'))),
    );
  };
  return { agent: await startShopAgent(customize, {}, deferred), heard };
}

const write = (agent: ShopAgent, method: string, target: string, attributes?: object) =>
  call(agent, target, { method, ...(attributes ? { body: { data: { attributes } } } : {}) });

describe('afterWrite', () => {
  it('tells a handler and hooks that a write is committed', async () => {
    const { agent, heard } = await startTold();
    expect((await write(agent, 'POST', '/parcels', { label: 'second' })).status).toBe(200);
    expect((await write(agent, 'PUT', '/parcels/1', { label: 'changed' })).status).toBe(200);
    expect((await write(agent, 'DELETE', '/parcels/1')).status).toBe(204);
    expect(heard).toEqual([
      ['create', 'committed'],
      ['handler', 'committed'],
      ['update', 'committed'],
      ['handler', 'committed'],
      ['delete', 'committed'],
    ]);
  });

  it('tells that a refused write is undone', async () => {
    const { agent, heard } = await startTold();
    const refused = await write(agent, 'PUT', '/orders/1', { ref: 'A-2' });
    expect(refused.status).toBe(400);
    expect(heard).toEqual([['order', 'undone']]);
  });

  it('tells that nobody knows how a failed commit ended', async () => {
    const { agent, heard } = await startTold();
    const refused = await write(agent, 'POST', '/parcels', { label: 'lost', order_id: 99 });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(heard).toEqual([
      ['create', 'uncertain'],
      ['handler', 'uncertain'],
    ]);
  });

  it('logs an error of the code and keeps the write', async () => {
    const { agent } = await startTold(() => {
      throw new Error('no space left');
    });
    expect((await write(agent, 'PUT', '/parcels/1', { label: 'kept' })).status).toBe(200);
    expect((await call(agent, '/parcels/1')).json).toMatchObject({ data: { attributes: { label: 'kept' } } });
    expect(agent.log.join()).toContain('The code after a write of "parcels" failed; the write was committed.');
    expect(agent.log.join()).toContain('no space left');
  });

  it('reads what is there after the write', async () => {
    const seen: unknown[] = [];
    const agent = await startShopAgent((customized: Agent) =>
      customized.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Delete', ({ afterWrite }) =>
          afterWrite(async (_outcome, { collection }) => {
            seen.push((await collection.list({}, ['id'])).map(({ id }) => id));
          }),
        ),
      ),
    );
    expect((await write(agent, 'DELETE', '/orders/3')).status).toBe(204);
    expect(seen).toEqual([[1, 2, 4]]);
  });

  it('is refused when the write is over', async () => {
    let late: (() => void) | undefined;
    const agent = await startShopAgent((customized: Agent) =>
      customized.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Update', ({ afterWrite }) => {
          late = () => afterWrite(() => undefined);
        }),
      ),
    );
    await write(agent, 'PUT', '/orders/1', { ref: 'A-9' });
    expect(late).toThrow('called "afterWrite" when its write was over');
  });
});
