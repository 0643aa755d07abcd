import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const filter = (filters: unknown) => `filters=${encodeURIComponent(JSON.stringify(filters))}`;
const status = (value: string) => ({ field: 'status', operator: 'equal', value });

/** What is answered: ids, or the status of a refusal. */
async function answerTo(agent: ShopAgent, target: string): Promise<readonly string[] | number> {
  const { status: code, json } = await call(agent, target);
  return code === 200 ? (json as { data: { id: string }[] }).data.map(({ id }) => id) : code;
}

/** A platform whose word on the orders changes. */
function changeablePlatform() {
  const word = { scope: null as unknown };
  const seen = { browseEnabled: true, readEnabled: true };
  const current = () =>
    platformOfRole({
      rights: { orders: seen, customers: seen },
      scopes: { orders: word.scope },
    });
  const platform = {
    environmentPermissions: () => current().environmentPermissions(),
    renderingPermissions: (id: number) => current().renderingPermissions(id),
    users: async () => [{ ...identity, fullName: 'Ada Lovelace', roleId: 1, tags: { state: 'FR' } }],
  };
  return { word, platform };
}

describe('a request that is sent again', () => {
  const list = `/orders?fields[orders]=id,ref&sort=id&${filter({ aggregator: 'and', conditions: [status('paid'), { field: 'id', operator: 'greater_than', value: 0 }] })}`;

  it('is answered with what is in the database by then', async () => {
    const agent = await startShopAgent();
    expect(await answerTo(agent, list)).toEqual(['1', '4']);
    const body = { data: { type: 'orders', attributes: { status: 'paid' } } };
    expect((await call(agent, '/orders/2', { method: 'PUT', body })).status).toBe(200);
    expect(await answerTo(agent, list)).toEqual(['1', '2', '4']);
    expect(await answerTo(agent, list)).toEqual(['1', '2', '4']);
  });

  it('is checked against the scope that holds by then', async () => {
    const { word, platform } = changeablePlatform();
    const agent = await startShopAgent(undefined, { platform });
    const forget = () =>
      call(agent, '/scope-cache-invalidation', { method: 'POST', body: { renderingId: identity.renderingId } });
    const all = '/orders?fields[orders]=id&sort=id';
    for (const _again of [1, 2]) expect(await answerTo(agent, all)).toEqual(['1', '2', '3', '4']);

    word.scope = status('draft');
    await forget();
    for (const _again of [1, 2]) expect(await answerTo(agent, all)).toEqual(['2', '3']);
    for (const _again of [1, 2]) expect(await answerTo(agent, list)).toEqual([]);

    word.scope = status('{{currentUser.tags.team}}');
    await forget();
    for (const _again of [1, 2]) expect(await answerTo(agent, all)).toEqual(403);

    word.scope = { field: 'customer:country', operator: 'equal', value: '{{currentUser.tags.state}}' };
    await forget();
    for (const _again of [1, 2]) expect(await answerTo(agent, all)).toEqual(['1', '2']);
  });

  it('is read again where the customization has changed', async () => {
    const agent = await startShopAgent();
    const target = `/orders?fields[orders]=id&sort=id&${filter(status('paid'))}`;
    for (const _again of [1, 2]) expect(await answerTo(agent, target)).toEqual(['1', '4']);
    await agent.runtime.load((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.replaceFieldOperator('status', 'Equal', () => ({
          field: 'status',
          operator: 'NotEqual',
          value: 'paid',
        })),
      );
    });
    for (const _again of [1, 2]) expect(await answerTo(agent, target)).toEqual(['2', '3']);
    await agent.runtime.load((shop: Agent) => {
      shop.customizeCollection('orders', (orders) => orders.removeField('status'));
    });
    for (const _again of [1, 2]) expect(await answerTo(agent, target)).toBe(400);
  });

  it('does not see what a handler changed in the values of the request before', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.replaceFieldOperator('ref', 'In', (refs) => ({
          field: 'ref',
          operator: 'Equal',
          // Taken out of the list, which is the handler's own.
          value: (refs as string[]).pop() ?? 'none is left',
        })),
      );
    });
    const target = `/orders?fields[orders]=id&${filter({ field: 'ref', operator: 'in', value: ['A-1', 'A-2'] })}`;
    for (const _again of [1, 2, 3]) expect(await answerTo(agent, target)).toEqual(['2']);
  });

  it('has the scope of its caller, whatever a handler did to the values of the scope', async () => {
    const { word, platform } = changeablePlatform();
    word.scope = { field: 'ref', operator: 'in', value: ['A-1', 'A-2'] };
    const takesOut = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.replaceFieldOperator('ref', 'In', (refs) => {
          const [first] = refs as string[];
          (refs as string[]).splice(0, 2, 'B-1', 'B-2');
          return { field: 'ref', operator: 'Equal', value: first };
        }),
      );
    const agent = await startShopAgent(takesOut, { platform });
    for (const _again of [1, 2, 3]) expect(await answerTo(agent, '/orders?fields[orders]=id&sort=id')).toEqual(['1']);
  });

  it('does not see what a hook changed in its filter', async () => {
    const failures: unknown[] = [];
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'List', ({ filter: { conditionTree } }) => {
          try {
            Object.assign(conditionTree ?? {}, { value: 'draft' });
          } catch (error) {
            failures.push(error);
          }
        }),
      );
    });
    const target = `/orders?fields[orders]=id&sort=id&${filter(status('paid'))}`;
    for (const _again of [1, 2]) expect(await answerTo(agent, target)).toEqual(['1', '4']);
    expect(failures).toEqual([expect.any(TypeError), expect.any(TypeError)]);
  });
});
