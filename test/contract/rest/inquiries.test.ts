import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import type { Agent } from '#runtime/index';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

const reading = { browseEnabled: true, readEnabled: true };
const onlyPaid = { field: 'status', operator: 'equal', value: 'paid' };

describe('the values of a field', () => {
  const valuesOf = async (agent: ShopAgent, question: string) => {
    const { status, json, text } = await call(agent, `/_internal/values/${question}`);
    expect([status, text]).toEqual([200, text]);
    return (json as { values: object[] }).values;
  };

  it('are the most frequent ones, with their counts', async () => {
    const more = "INSERT INTO customers VALUES (3, 'A', 'FR'), (4, 'B', 'FR'), (5, 'C', NULL), (6, 'D', 'BE');";
    const agent = await startShopAgent(undefined, {}, more);
    const values = await valuesOf(agent, 'customers?field=country');
    expect(values[0]).toEqual({ value: 'FR', count: 3 });
    expect(values.slice(1)).toEqual(
      expect.arrayContaining([
        { value: 'DE', count: 1 },
        { value: 'BE', count: 1 },
      ]),
    );
    expect(values).toHaveLength(3);
  });

  it('are 20 at most', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => `(${index + 10}, 'n${index}', 'c${index}')`);
    const agent = await startShopAgent(undefined, {}, `INSERT INTO customers VALUES ${rows.join()};`);
    expect(await valuesOf(agent, 'customers?field=name')).toHaveLength(20);
  });

  it('are searched, also those of an enumeration', async () => {
    const agent = await startShopAgent();
    expect(await valuesOf(agent, 'customers?field=name&search=ZE')).toEqual([{ value: 'Zed', count: 1 }]);
    expect(await valuesOf(agent, 'orders?field=status&search=pai')).toEqual([{ value: 'paid', count: 2 }]);
    expect(await valuesOf(agent, 'orders?field=status&search=nope')).toEqual([]);
    expect((await call(agent, '/_internal/values/orders?field=total&search=1')).status).toBe(422);
  });

  it('are those in the scope of the caller, also after somebody else has asked', async () => {
    const platform = platformOfRole({ rights: { orders: reading }, scopes: { orders: onlyPaid } });
    const agent = await startShopAgent(undefined, { platform });
    expect(await valuesOf(agent, 'orders?field=status')).toEqual([{ value: 'paid', count: 2 }]);
    let scope: object | null = null;
    const changing: PermissionSource = {
      ...platform,
      renderingPermissions: async (id) => {
        const rendering = await platform.renderingPermissions(id);
        const [orders] = Object.values(rendering.collections);
        return { ...rendering, collections: orders ? { orders: { ...orders, scope } } : {} };
      },
    };
    const other = await startShopAgent(undefined, { platform: changing });
    expect(await valuesOf(other, 'orders?field=status')).toHaveLength(2);
    scope = onlyPaid;
    await call(other, '/scope-cache-invalidation', { method: 'POST', body: { renderingId: identity.renderingId } });
    expect(await valuesOf(other, 'orders?field=status')).toEqual([{ value: 'paid', count: 2 }]);
  });

  it('are kept for a minute', async () => {
    const agent = await startShopAgent();
    const before = await valuesOf(agent, 'customers?field=country');
    await call(agent, '/customers', { method: 'POST', body: { data: { attributes: { name: 'New', country: 'IT' } } } });
    expect(await valuesOf(agent, 'customers?field=country')).toEqual(before);
    expect(await valuesOf(agent, 'customers?field=country&search=i')).toEqual([{ value: 'IT', count: 1 }]);
  });

  it('need the right to browse and to read', async () => {
    for (const rights of [{ browseEnabled: true }, { readEnabled: true }]) {
      const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights: { orders: rights } }) });
      for (const field of ['status', 'nope']) {
        expect((await call(agent, `/_internal/values/orders?field=${field}`)).status).toBe(403);
      }
    }
  });

  it.each([
    '',
    '?field=',
    '?field=nope',
    '?field=customer',
    '?field=customer:name',
    `?field=ref&search=${'x'.repeat(257)}`,
  ])('are refused for a question that has no answer: %s', async (question) => {
    const { status, text } = await call(await startShopAgent(), `/_internal/values/orders${question}`);
    expect([status, text]).toEqual([400, expect.stringContaining('nextSteps')]);
  });
});

describe('the explanation of a list', () => {
  interface Explained {
    readonly steps: readonly { readonly place: string; readonly what: string; readonly bound?: string }[];
    readonly statement?: { readonly sql: string };
  }

  type Level = (typeof identity)['permissionLevel'];

  const roleOf = (permissionLevel: Level): PermissionSource => ({
    ...platformOfRole({ rights: { orders: reading, customers: reading }, scopes: { orders: onlyPaid } }),
    users: async () => [{ ...identity, fullName: 'Ada Lovelace', roleId: 1, permissionLevel }],
  });

  async function explained(level: Level, question: string, customize?: unknown) {
    const options = { platform: roleOf(level), identity: { ...identity, permissionLevel: level } };
    const agent = await startShopAgent(customize, options);
    const { status, json, text } = await call(agent, `/_internal/explain/orders${question}`);
    expect([status, text]).toEqual([200, text]);
    return json as Explained;
  }

  it.each(['admin', 'developer'] as const)(
    'has the scope, the statement and the plan for the level %s',
    async (level) => {
      const { steps, statement } = await explained(level, '?sort=-id&page[size]=5');
      expect(steps[0]).toMatchObject({ place: 'database', what: expect.stringMatching(/status Equal "paid".*1 to 5/) });
      expect(statement?.sql).toMatch(/select/i);
    },
  );

  const emulated = (shop: Agent) =>
    shop.customizeCollection('orders', (orders) =>
      orders
        .addField('rank', { columnType: 'Number', dependencies: ['ref'], getValues: (rows) => rows.map(() => 1) })
        .removeField('ref')
        .emulateFieldSorting('rank'),
    );

  it.each(['editor', 'user'] as const)('has places and bounds only for the level %s', async (level) => {
    const { steps, statement } = await explained(level, '?sort=rank&fields[orders]=rank', emulated);
    expect(statement).toBeUndefined();
    expect(steps).toContainEqual({
      place: 'agent',
      what: 'The agent does this part.',
      bound: 'at most 100000 records are read',
    });
    expect(JSON.stringify(steps)).not.toMatch(/paid|ref|status/);
  });

  it('is one at a time for a person, and has five seconds', { tags: 'long' }, async () => {
    const asking = { now: 0, most: 0, isServing: false };
    const over = Promise.withResolvers<void>();
    const slow = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders
          .addSegment('slow', async () => {
            asking.now++;
            asking.most = Math.max(asking.most, asking.now);
            await new Promise((resolve) => setImmediate(resolve));
            asking.now--;
            return { field: 'id', operator: 'GreaterThan', value: 0 };
          })
          .addSegment('endless', async () => {
            // The agent asks once when it loads the code.
            if (asking.isServing) await over.promise;
            return { field: 'id', operator: 'GreaterThan', value: 0 };
          }),
      );
    const agent = await startShopAgent(slow);
    Object.assign(asking, { most: 0, isServing: true });
    const explain = (segment: string) => call(agent, `/_internal/explain/orders?segment=${segment}`);
    const answers = await Promise.all([1, 2, 3, 4].map(() => explain('slow')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(asking.most).toBe(1);
    const late = await explain('endless');
    over.resolve();
    expect(late.text).toContain('longer than 5000 ms');
  });

  it('asks for the right to browse, and refuses what a list refuses', async () => {
    const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights: { customers: reading } }) });
    expect((await call(agent, '/_internal/explain/orders?sort=nope')).status).toBe(403);
    expect((await call(agent, '/_internal/explain/customers?sort=nope')).status).toBe(400);
    expect((await call(agent, '/_internal/explain/customers', { timezone: null })).status).toBe(400);
    expect((await call(agent, '/_internal/explain/nope')).status).toBe(404);
  });
});

describe('the rights of the caller on a collection', () => {
  const question = '/_internal/explain-rights/orders';
  const rights = { orders: { ...reading, editEnabled: false } };
  const scopes = { orders: onlyPaid };
  const fields = { orders: { total: { read: false, filter: false, write: false } } } as const;

  it('come with their reasons and the scope, and without names of fields that the person does not see', async () => {
    const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights, scopes, fields }) });
    expect((await call(agent, '/orders/1', { method: 'PUT', body: {} })).status).toBe(403);
    const { status, json, text } = await call(agent, question);
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ collection: 'orders', actions: [] });
    expect((json as { rights: object[] }).rights).toContainEqual({
      ...{ right: 'edit', isAllowed: false, because: 'nobody may' },
    });
    expect(json).toMatchObject({ scope: { isAllowed: true, condition: 'status must be "paid"' } });
    expect(text).not.toContain('total');
  });

  it.each([
    ['is about a field that the person does not see', { field: 'total', operator: 'less_than', value: 99 }],
    ['names what it leaves out', { field: 'status', operator: 'not_equal', value: 'draft' }],
  ])('say that there is a scope, and not which, where it %s', async (_why, scope) => {
    const platform = platformOfRole({ rights, scopes: { orders: scope }, fields });
    const { json, text } = await call(await startShopAgent(undefined, { platform }), question);
    expect(json).toMatchObject({ scope: { isAllowed: true, condition: null, isUntold: true } });
    expect(text).not.toMatch(/total|draft|99/);
  });

  it('come whole to an administrator', async () => {
    const platform = platformOfRole({ rights, scopes, fields, permissionLevel: 'developer' });
    const { json } = await call(await startShopAgent(undefined, { platform }), question);
    expect(json).toMatchObject({
      scope: { condition: 'status Equal "paid"' },
      fields: [{ field: 'total', read: false }],
    });
  });

  it('are those that the platform says now', async () => {
    const before = platformOfRole({ rights });
    let platform = before;
    const changing: PermissionSource = {
      ...before,
      environmentPermissions: (...asked) => platform.environmentPermissions(...asked),
    };
    const agent = await startShopAgent(undefined, { platform: changing });
    await call(agent, '/orders');
    platform = platformOfRole({ rights: { orders: { ...reading, editEnabled: true } } });
    const { json } = await call(agent, question);
    expect((json as { rights: object[] }).rights).toContainEqual(
      expect.objectContaining({ right: 'edit', isAllowed: true }),
    );
  });

  it('are for people: a program has another way', async () => {
    const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights }) });
    const token = await createSessionTokens(authSecret, systemClock, () => false).issue({
      ...identity,
      client: { id: 'nightly', name: 'nightly' },
    });
    const { status, text } = await call(agent, question, { token });
    expect(status).toBe(403);
    expect(text).toContain('A program has another way.');
  });
});
