import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

const toCustomer = (id: string | null) => ({ customer: { data: id === null ? null : { type: 'customers', id } } });

interface Sent {
  readonly attributes?: object;
  readonly relationships?: object;
  readonly meta?: object;
}

function update(agent: ShopAgent, target: string, { meta, ...data }: Sent) {
  const body = { data, meta: { writesRelationships: true, ...meta } };
  return call(agent, target, { method: 'PUT', body });
}

/** What an order is, and whose. */
async function orderOf(agent: ShopAgent, id: string) {
  const { json } = await call(agent, `/orders/${id}`);
  const { attributes, relationships } = (
    json as { data: { attributes: object; relationships: { customer: { data: { id: string } | null } } } }
  ).data;
  return { ...attributes, customer: relationships.customer.data?.id ?? null };
}

const refusalOf = async (answer: ReturnType<typeof update>) => {
  const { status, json } = await answer;
  return [status, (json as { errors: { detail: string }[] }).errors[0]?.detail];
};

describe('an update that writes relationships', () => {
  it('writes them with the attributes, or without any', async () => {
    const agent = await startShopAgent();
    const both = await update(agent, '/orders/2', { attributes: { status: 'paid' }, relationships: toCustomer('2') });
    expect(both.status).toBe(200);
    expect(await orderOf(agent, '2')).toMatchObject({ status: 'paid', customer: '2' });
    expect((await update(agent, '/orders/2', { relationships: toCustomer(null) })).status).toBe(200);
    expect(await orderOf(agent, '2')).toMatchObject({ status: 'paid', customer: null });
  });

  it('writes all of it or nothing', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) => orders.addFieldValidation('total', 'LessThan', 1_000)),
    );
    const relationships = toCustomer('2');
    const invalid = await update(agent, '/orders/2', { attributes: { total: 5_000 }, relationships });
    expect(invalid.status).toBe(400);
    const changed = await update(agent, '/orders/2', {
      ...{ attributes: { total: 30 }, relationships, meta: { ifMatch: { total: '19.00' } } },
    });
    expect(changed.status).toBe(409);
    expect(await orderOf(agent, '2')).toMatchObject({ total: '20.00', customer: '1' });
  });

  it('writes over no relation that leads elsewhere by now', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addManyToOneRelation('namesake', 'customers', { foreignKey: 'ref', foreignKeyTarget: 'name' }),
      ),
    );
    const change = (ifMatch: object) =>
      update(agent, '/orders/2', { relationships: toCustomer('2'), meta: { ifMatch } });
    const refused = await change({ customer: '3' });
    const data = { fields: { customer: { seen: '3', now: '1' } } };
    expect([refused.status, refused.json]).toMatchObject([409, { errors: [{ code: 'RECORD_CHANGED', data }] }]);
    expect((await change({ customer: null })).status).toBe(409);
    expect((await change({ namesake: '1' })).status).toBe(409);
    expect((await change({ namesake: '77' })).status).toBe(409);
    expect((await change({ customer: 'x' })).status).toBe(400);
    expect(await orderOf(agent, '2')).toMatchObject({ customer: '1' });
    expect((await change({ customer: '1', status: 'draft' })).status).toBe(200);
    expect((await change({ customer: '1' })).status).toBe(409);
    expect(await orderOf(agent, '2')).toMatchObject({ customer: '2' });
  });

  it('leads to no record that is not there', async () => {
    const agent = await startShopAgent();
    expect((await update(agent, '/orders/2', { relationships: toCustomer('77') })).status).toBe(404);
    expect(await orderOf(agent, '2')).toMatchObject({ customer: '1' });
  });

  it('finds the key that a relation leads to by another column than the id', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addManyToOneRelation('namesake', 'customers', { foreignKey: 'ref', foreignKeyTarget: 'name' }),
      ),
    );
    const relationships = { namesake: { data: { type: 'customers', id: '2' } } };
    expect((await update(agent, '/orders/3', { relationships })).status).toBe(200);
    expect(await orderOf(agent, '3')).toMatchObject({ ref: 'Ünal' });
  });

  it('is checked by a dry run', async () => {
    const agent = await startShopAgent();
    expect((await update(agent, '/orders/2?dryRun=true', { relationships: toCustomer('2') })).status).toBe(200);
    expect((await update(agent, '/orders/2?dryRun=true', { relationships: toCustomer('77') })).status).toBe(404);
    expect(await orderOf(agent, '2')).toMatchObject({ customer: '1' });
  });

  it('says which relations have a route of their own, and what is not a relation', async () => {
    const agent = await startShopAgent();
    const lines = { lines: { data: [] } };
    expect(await refusalOf(update(agent, '/orders/2', { relationships: lines }))).toEqual([
      ...[400, expect.stringContaining('the relation "lines": records of another collection hold it')],
    ]);
    for (const name of ['nope', 'status']) {
      const refused = update(agent, '/orders/2', { relationships: { [name]: { data: null } } });
      expect(await refusalOf(refused)).toEqual([400, expect.stringContaining(`no relation "${name}"`)]);
    }
    const meta = { writesRelationships: 'yes' };
    expect(await refusalOf(update(agent, '/orders/2', { relationships: toCustomer('2'), meta }))).toEqual([
      ...[400, expect.stringContaining('"meta.writesRelationships" must be true or false')],
    ]);
  });
});
