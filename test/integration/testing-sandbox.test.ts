import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestAgent, TestFixtures } from '../../src/exports/agent-testing.ts';
import { startTestedShop } from '../helpers/tested-shop.ts';

let shop: TestAgent;

beforeAll(async () => {
  shop = await startTestedShop();
});
afterAll(() => shop?.close());
beforeEach(() => shop.client.clearPermissionOverride());

const rights = { browse: true, read: true, edit: true };
const fixtures: TestFixtures = {
  roles: { support: { collections: { orders: rights, customers: { browse: true, read: true } } } },
  teams: {
    North: {
      collections: {
        orders: { scope: { field: 'customer:country', operator: 'equal', value: '{{currentUser.tags.country}}' } },
      },
    },
  },
  users: [
    { email: 'ada@example.test', role: 'support', team: 'North', tags: { country: 'FR' } },
    { email: 'eve@example.test', role: 'support', team: 'North', tags: { country: 'DE' } },
    { email: 'boss@example.test', permissionLevel: 'developer' },
  ],
};

const idsOf = async (email: string) => {
  const records = await shop.client.as(email).collection('orders').list();
  return records.map(({ id }) => id).sort();
};

describe('fixtures', () => {
  it('give users roles, teams, scopes and tags', async () => {
    await shop.client.setFixtures(fixtures);
    expect(await idsOf('ada@example.test')).toEqual([1, 2]);
    expect(await idsOf('eve@example.test')).toEqual([3]);
    expect(await idsOf('boss@example.test')).toEqual([1, 2, 3, 4]);
    const ada = shop.client.as('ADA@example.test').collection('orders');
    await expect(ada.delete([1])).rejects.toMatchObject({ status: 403 });
    expect(await ada.update(3, { status: 'paid' })).toBeNull();
    expect(await shop.client.collection('lines').count()).toBe(3);
  });

  it('give a user several roles and teams', async () => {
    const of = (country: string) => ({
      collections: { orders: { scope: { field: 'customer:country', operator: 'equal' as const, value: country } } },
    });
    await shop.client.setFixtures({
      roles: {
        support: { collections: { orders: { browse: true, read: true, fields: { total: false } } } },
        billing: { collections: { orders: { edit: true } } },
      },
      teams: { North: of('FR'), South: of('DE') },
      users: [{ email: 'ada@example.test', roles: ['support', 'billing'], teams: ['North', 'South'] }],
    });
    expect(await idsOf('ada@example.test')).toEqual([1, 2, 3]);
    const orders = shop.client.as('ada@example.test').collection('orders');
    expect(await orders.update(3, { status: 'draft' })).toMatchObject({ status: 'draft' });
    for (const record of await orders.list()) expect(record).not.toHaveProperty('total');
    await expect(orders.delete([1])).rejects.toMatchObject({ status: 403 });
  });

  it('hold for the next request, each time they are replaced', async () => {
    for (const country of ['FR', 'DE', 'FR', 'DE']) {
      await shop.client.setFixtures({
        ...fixtures,
        users: [{ email: 'ada@example.test', role: 'support', team: 'North', tags: { country } }],
      });
      expect(await idsOf('ada@example.test')).toEqual(country === 'FR' ? [1, 2] : [3]);
    }
  });

  it.each([
    [{ users: [{ email: 'a@example.test', role: 'suport' }] }, 'role "suport"'],
    [{ teams: { North: {} }, users: [{ email: 'a@example.test', team: 'Nord' }] }, 'Did you mean "North"?'],
    [{ roles: { support: { collections: { odrers: {} } } } }, 'Did you mean "orders"?'],
    [{ user: [] } as never, 'user'],
  ])('with a mistake are refused: %j', async (wrong, message) => {
    await expect(shop.client.setFixtures(wrong)).rejects.toThrowError(message);
  });
});

describe('permission overrides', () => {
  it('hold for the very next request, again and again', async () => {
    const orders = shop.client.collection('orders');
    for (let round = 0; round < 10; round++) {
      await shop.client.overrideCollectionPermission('orders', { browseEnabled: false });
      await expect(orders.count()).rejects.toMatchObject({ status: 403 });
      await shop.client.overrideCollectionPermission('orders', { browseEnabled: true });
      expect(await orders.count()).toBe(4);
    }
  });

  it('answer when the agent has acknowledged them', async () => {
    const { sandbox, client } = shop;
    sandbox.clearRequests();
    const slow = sandbox.injectFault({ path: '/agent/v1/event-acks', delayMs: 100 });
    await client.overrideCollectionPermission('orders', { browseEnabled: true });
    expect(sandbox.requests({ path: '/agent/v1/event-acks' })).toMatchObject([{ status: 204 }]);
    slow.remove();
  });

  it('hold while some work is done, and leave what was before', async () => {
    const [orders, lines] = [shop.client.collection('orders'), shop.client.collection('lines')];
    await shop.client.overrideCollectionPermission('lines', { browseEnabled: false });
    const overrides = { orders: { collection: { browseEnabled: false } } };
    await shop.client.withPermissions(overrides, async () => {
      await expect(orders.count()).rejects.toMatchObject({ status: 403 });
      await expect(lines.count()).rejects.toMatchObject({ status: 403 });
    });
    expect(await orders.count()).toBe(4);
    await expect(lines.count()).rejects.toMatchObject({ status: 403 });
  });

  it('take effect for actions, also on what fixtures gave', async () => {
    await shop.client.setFixtures(fixtures);
    const go = async () => (await shop.client.collection('orders').action('Go')).execute();
    await shop.client.overrideActionPermission('orders', 'Go', { triggerEnabled: false });
    await expect(go()).rejects.toMatchObject({ status: 403 });
    expect(await idsOf('ada@example.test')).toHaveLength(2);
    await shop.client.clearPermissionOverride();
    expect(await go()).toMatchObject({ type: 'redirect' });
    await expect(shop.client.overrideActionPermission('orders', 'Goo', {})).rejects.toMatchObject({ nearest: 'Go' });
    await expect(shop.client.overrideCollectionPermission('order', {})).rejects.toMatchObject({ nearest: 'orders' });
  });
});

describe('the sandbox', () => {
  it('keeps a journal of what the agent asks it', async () => {
    const { sandbox, client } = shop;
    sandbox.clearRequests();
    await client.overrideCollectionPermission('orders', { browseEnabled: true });
    await client.collection('orders').count();
    const path = '/agent/v4/permissions/environment';
    expect(await sandbox.waitForRequest({ method: 'get', path })).toMatchObject({ method: 'GET', path });
    expect(sandbox.requests({ path: /permissions/ })[0]).toMatchObject({ status: 200, query: {} });
    expect(sandbox.requests({ path: /override/ })).toEqual([]);
    const ack = await sandbox.waitForRequest({ path: '/agent/v1/event-acks' });
    expect(ack.body).toMatchObject({ id: expect.any(Number) });
    await expect(sandbox.waitForRequest({ path: '/never' }, 20)).rejects.toMatchObject({
      code: 'TEST_AGENT_UNREACHABLE',
    });
  });

  it('answers with errors, late, or not at all, as often as it is asked to', async () => {
    const { sandbox } = shop;
    const ask = () => fetch(`${sandbox.url}/health`);
    const refused = sandbox.injectFault({ path: '/health', status: 503, times: 1 });
    expect((await ask()).status).toBe(503);
    expect((await ask()).status).toBe(200);
    expect(refused.hits).toBe(1);
    refused.remove();
    const late = sandbox.injectFault({ method: 'GET', path: /^\/hea/, delayMs: 60 });
    const start = performance.now();
    expect((await ask()).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(55);
    late.remove();
    const cut = sandbox.injectFault({ path: '/health', drop: true });
    await expect(ask()).rejects.toThrowError();
    cut.remove();
    cut.remove();
    expect((await ask()).status).toBe(200);
    expect(sandbox.requests({ path: '/health' }).map(({ status }) => status)).toEqual([503, 200, 200, undefined, 200]);
  });

  it('shows what an agent does when the platform refuses it', async () => {
    const { sandbox, client } = shop;
    const orders = client.collection('orders');
    expect(await orders.count()).toBe(4);
    const away = sandbox.injectFault({ path: /permissions/, status: 403 });
    expect(await orders.count()).toBe(4);
    expect(away.hits).toBe(0);
    await client.overrideCollectionPermission('orders', { browseEnabled: true });
    await expect(orders.count()).rejects.toMatchObject({ status: 502 });
    expect(away.hits).toBeGreaterThan(0);
    away.remove();
    expect(await orders.count()).toBe(4);
  });

  it.each([
    [{ path: '/x' }, 'neither "delayMs", "status" nor "drop"'],
    [{ status: 200 }, 'outside of 400 to 599'],
    [{ drops: true } as never, 'Did you mean "drop"?'],
    [{ delayMs: -1 }, 'a negative number'],
  ])('refuses a fault that cannot be: %j', (fault, message) => {
    expect(() => shop.sandbox.injectFault(fault)).toThrowError(message);
  });
});
