import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Agent, WriteOutcome } from '../../src/exports/index.ts';
import { openShopTestAgent, type ShopTestAgent } from '../helpers/shop-test-agent.ts';

const deferred = `
CREATE TABLE parcels (id INTEGER PRIMARY KEY, label TEXT, order_id INTEGER REFERENCES orders(id) DEFERRABLE INITIALLY DEFERRED);
INSERT INTO parcels VALUES (1, 'first', 1);`;

/** Where code asked to be told, and what it was told. */
let heard: [string, WriteOutcome][] = [];
/** What it does when it is asked. */
let work: () => unknown = () => undefined;
/** Asks to be told when the write that asked is over. */
let late: (() => void) | undefined;
const seen: unknown[] = [];

/** Its handler and hooks ask how the writes of parcels and orders end. */
function customize(agent: Agent): void {
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
    orders
      .addHook('Before', 'Update', ({ afterWrite }) => {
        afterWrite(hear('order'));
        late = () => afterWrite(() => undefined);
      })
      .addHook('Before', 'Delete', ({ afterWrite }) =>
        afterWrite(async (_outcome, { collection }) => {
          seen.push((await collection.list({}, ['id'])).map(({ id }) => id));
        }),
      ),
  );
}

describe('afterWrite', () => {
  let shop: ShopTestAgent;
  beforeAll(async () => {
    shop = await openShopTestAgent({ customize, moreTables: deferred });
  });
  afterAll(() => shop?.close());
  beforeEach(() => {
    heard = [];
    work = () => undefined;
  });
  const collection = (name: string) => shop.client.collection(name);

  it('logs an error of the code and keeps the write', async () => {
    work = () => {
      throw new Error('no space left');
    };
    expect(await collection('parcels').update(1, { label: 'kept' })).toMatchObject({ label: 'kept' });
    expect(await collection('parcels').getOne(1)).toMatchObject({ label: 'kept' });
    expect(shop.log.join()).toContain('The code after a write of "parcels" failed; the write was committed.');
    expect(shop.log.join()).toContain('no space left');
  });

  it('tells a handler and hooks that a write is committed', async () => {
    await collection('parcels').create({ label: 'second' });
    await collection('parcels').update(1, { label: 'changed' });
    await collection('parcels').delete([1]);
    expect(heard).toEqual([
      ['create', 'committed'],
      ['handler', 'committed'],
      ['update', 'committed'],
      ['handler', 'committed'],
      ['delete', 'committed'],
    ]);
  });

  it('tells that a refused write is undone', async () => {
    await expect(collection('orders').update(1, { ref: 'A-2' })).rejects.toMatchObject({ status: 400 });
    expect(heard).toEqual([['order', 'undone']]);
  });

  it('tells that nobody knows how a failed commit ended', async () => {
    const refused = collection('parcels').create({ label: 'lost', order_id: 99 });
    await expect(refused).rejects.toMatchObject({ code: 'TEST_AGENT_REFUSED' });
    expect(heard).toEqual([
      ['create', 'uncertain'],
      ['handler', 'uncertain'],
    ]);
  });

  it('reads what is there after the write', async () => {
    await collection('orders').delete([3]);
    expect(seen).toEqual([[1, 2, 4]]);
  });

  it('is refused when the write is over', async () => {
    await collection('orders').update(1, { ref: 'A-9' });
    expect(late).toThrow('called "afterWrite" when its write was over');
  });
});
