import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { renderExplainedPermissions } from '#cli/rendering/render-explained';
import { createTerminal } from '#cli/terminal/terminal';
import { environmentPermissionsSchema } from '#contracts/permissions';
import { explainPermissions } from '#flows/run/explain';
import { processEnvironment } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import type { Agent, ExplainedPermissions } from '#runtime/index';
import { createForestServerSandbox } from '../../src/exports/agent-testing.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { call, startShopAgent } from '../helpers/shop-agent.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const ada = {
  id: 7,
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  email: 'ada@example.test',
  permissionLevel: 'user',
  roleId: 4,
  tags: {},
} as const;
const paid = { field: 'status', operator: 'equal', value: 'paid' };
const ship = {
  triggerEnabled: { roles: [4] },
  triggerConditions: [{ roleId: 4, filter: paid }],
  approvalRequired: true,
  approvalRequiredConditions: [{ roleId: 4, filter: { field: 'total', operator: 'greater_than', value: 900 } }],
  userApprovalEnabled: { roles: [9] },
  selfApprovalEnabled: false,
};
const permissions = environmentPermissionsSchema.parse({
  collections: {
    orders: {
      collection: {
        browseEnabled: true,
        readEnabled: { roles: [4] },
        editEnabled: { roles: [5] },
        exportEnabled: { roles: [5, 9] },
      },
      actions: { Ship: ship },
    },
    lines: { collection: { readEnabled: { roles: [4] } } },
  },
});
const rendering = {
  team: { id: 1, name: 'Operations' },
  collections: {
    orders: {
      scope: {
        aggregator: 'or',
        conditions: [{ field: 'customer_id', operator: 'equal', value: '{{currentUser.id}}' }, paid],
      },
      segments: [],
      liveQuerySegments: [{ connectionName: 'main', query: 'SELECT id FROM orders WHERE total > 10' }],
    },
  },
  stats: [],
};

/** Programs; one of them only browses and sees no totals. */
const clients = {
  reporting: {
    collections: { orders: { browse: true, fields: { total: false } } },
    tools: ['list' as const],
    recordsPerCall: 20,
  },
};

const startShop = (environment: typeof permissions = permissions) =>
  startShopAgent(
    (shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders
          .addAction('Ship', { scope: 'Bulk', execute: () => undefined })
          .addAction('Secret', { scope: 'Bulk', execute: () => undefined }),
      );
    },
    {
      platform: {
        environmentPermissions: async () => environment,
        users: async () => [ada, { ...ada, id: 8, email: 'bob@example.test', roleId: 9, permissionLevel: 'editor' }],
        renderingPermissions: async () => rendering,
        clientPermissions: async () => ({ clients, grants: [] }),
      },
    },
  );

/** As a terminal of 80 columns shows it. */
function shown(explained: ExplainedPermissions): string {
  return renderExplainedPermissions(explained, createTerminal(processEnvironment, { isJson: false, hasColor: false }));
}

describe('explaining permissions', () => {
  it('says what is left to a program of what its person may do', async () => {
    const { runtime } = await startShop();
    const question = { user: '7', collection: 'orders', renderingId: 3, client: 'reporting' };
    const explained = await runtime.explainPermissions(question);
    expect(explained.client).toMatchObject({ isRestricted: true, tools: ['list'], recordsPerCall: 20 });
    const allowed = explained.rights.filter(({ isAllowed }) => isAllowed).map(({ right }) => right);
    expect(allowed).toEqual(['browse']);
    expect(explained.rights.find(({ right }) => right === 'read')?.because).toBe(
      'the rules for reporting do not allow it',
    );
    expect(explained.actions.every(({ trigger }) => !trigger.isAllowed)).toBe(true);
    expect(explained.segmentQueries).toEqual([]);
    expect(explained.fields).toMatchObject([{ field: 'total', read: false }]);
    expect(shown(explained)).toContain('through reporting: the tools list, 20 records a call');
    // A program that the rights do not name, where they name others, may do nothing.
    const { rights } = await runtime.explainPermissions({ ...question, client: 'other' });
    expect(rights.every(({ isAllowed }) => !isAllowed)).toBe(true);
  });

  it('says what somebody may do and why, in 80 columns', async () => {
    const { runtime } = await startShop();
    const question = { user: 'ADA@example.test', collection: 'orders', path: 'customer:name', renderingId: 3 };
    const text = shown(await runtime.explainPermissions(question));
    expect(text).toMatchInlineSnapshot(`
      "Ada Lovelace <ada@example.test>, user 7, role 4, level user

      Rights on "orders"
        browse       yes  everybody may
        read         yes  role 4 may
        edit         no   only role 5 may
        add          no   nobody may
        delete       no   nobody may
        export       no   only roles 5, 9 may

      Records
        where customer_id Equal 7 or status Equal "paid"
        segment: main: SELECT id FROM orders WHERE total > 10

      Action "Ship"
        trigger      yes  role 4 may
                          only where status Equal "paid"
        approval     needed when one of the records is among those
                          where total GreaterThan 900
        approve      no   only role 9 may
        approve own  no   nobody may

      Action "Secret"
        trigger      no   the permissions do not name the action
        approval     needed
        approve      no   nobody may
        approve own  no   nobody may

      Path "customer:name"
        query        no   the permissions do not name the collection
                          ends in "customers", whose right to read decides
                          serves to filter, sort"
    `);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('says on which records a role has its rights', async () => {
    const { orders, ...others } = permissions === true ? {} : permissions.collections;
    const scopes = [{ roleId: 4, filter: { field: 'total', operator: 'less_than', value: 5 } }];
    const document = environmentPermissionsSchema.parse({ collections: { ...others, orders: { ...orders, scopes } } });
    const { runtime } = await startShop(document);
    const explained = await runtime.explainPermissions({ user: '7', collection: 'orders', renderingId: 3 });
    const condition = '(customer_id Equal 7 or status Equal "paid") and total LessThan 5';
    expect(explained.rights.filter(({ isAllowed }) => isAllowed)).toMatchObject([
      { right: 'browse', condition },
      { right: 'read', condition },
    ]);
    expect(explained.scope).toMatchObject({
      condition,
      because: 'the scope of the team, and those of the roles that may browse',
    });
    expect(explained.actions[0]?.triggerConditions).toEqual(['status Equal "paid"', condition]);
    const text = shown(explained);
    expect(text).toContain('read         yes  role 4 may\n                    only where (customer_id Equal 7');
    // Somebody without what the scope needs has none of the rights.
    const unknown = [{ roleId: 4, filter: { field: 'ref', operator: 'equal', value: '{{currentUser.tags.area}}' } }];
    const closed = environmentPermissionsSchema.parse({
      collections: { ...others, orders: { ...orders, scopes: unknown } },
    });
    const { runtime: other } = await startShop(closed);
    const { rights } = await other.explainPermissions({ user: '7', collection: 'orders', renderingId: 3 });
    expect(rights.slice(0, 2)).toMatchObject([
      { isAllowed: false, because: 'the user has no currentUser.tags.area' },
      { isAllowed: false },
    ]);
  });

  it('says what requests are answered with', async () => {
    const agent = await startShop();
    const { rights, path: explained } = await agent.runtime.explainPermissions({
      user: '7',
      collection: 'orders',
      path: 'customer:name',
    });
    const may = (right: string) => rights.find((each) => each.right === right)?.isAllowed;
    const status = async (target: string, method = 'GET') => (await call(agent, target, { method })).status;
    expect([may('browse'), await status('/orders/count')]).toEqual([true, 200]);
    expect([may('export'), await status('/orders.csv?fields[orders]=id')]).toEqual([false, 403]);
    expect([may('add'), await status('/orders', 'POST')]).toEqual([false, 403]);
    const filters = encodeURIComponent(JSON.stringify({ field: 'customer:name', operator: 'equal', value: 'Zed' }));
    expect([explained?.isAllowed, await status(`/orders?filters=${filters}`)]).toEqual([false, 403]);
  });

  it('follows paths as queries do', async () => {
    const { runtime } = await startShop();
    const pathOf = async (path: string) =>
      (await runtime.explainPermissions({ user: '7', collection: 'orders', path })).path;
    expect(await pathOf('ref')).toMatchObject({
      collection: 'orders',
      isAllowed: true,
      uses: ['filter', 'sort', 'show'],
    });
    expect(await pathOf('lines:sku')).toMatchObject({ collection: 'lines', isAllowed: true, uses: ['filter'] });
    // The key of the customer would come along.
    expect(await pathOf('customer:id')).toMatchObject({ isAllowed: false, uses: ['filter', 'sort'] });
    await expect(pathOf('customer:nope')).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN' });
    await expect(pathOf('customer')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('does not guess the rendering', async () => {
    const { runtime } = await startShop();
    const { scope, segmentQueries } = await runtime.explainPermissions({ user: '7', collection: 'orders' });
    expect(scope).toHaveProperty('unknownBecause');
    expect(segmentQueries).toEqual([]);
    const editor = await runtime.explainPermissions({ user: '8', collection: 'orders' });
    expect(editor.segmentQueries).toBeNull();
  });

  it('says that a development environment allows everything', async () => {
    const { runtime } = await startShop(true as never);
    const { rights, scope, actions } = await runtime.explainPermissions({ user: '7', collection: 'orders' });
    expect(new Set(rights.map(({ because }) => because))).toEqual(
      new Set(['a development environment allows everything']),
    );
    expect(scope).toMatchObject({ isAllowed: true, condition: null });
    expect(actions[0]).toMatchObject({ trigger: { isAllowed: true }, needsApproval: 'never' });
  });

  it('names the nearest user, and collections that are not there', async () => {
    const { runtime } = await startShop();
    await expect(runtime.explainPermissions({ user: 'ada@example.tst', collection: 'orders' })).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
      message: expect.stringContaining('ada@example.test'),
    });
    await expect(runtime.explainPermissions({ user: '7', collection: 'ordres' })).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
    });
  });
});

describe('explaining permissions of a project', () => {
  const envSecret = 'f'.repeat(64);
  const asker = {
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    signal: new AbortController().signal,
  };

  it('asks the platform that the project names', async () => {
    const sandbox = await createForestServerSandbox(0);
    onTestFinished(() => sandbox.close());
    const root = await createShopProject();
    const context = flowContext(root);
    const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_ENV_SECRET: envSecret };
    await fetch(`${sandbox.url}/agent-schema`, {
      method: 'POST',
      headers: { 'service-secret-key': envSecret, 'content-type': 'application/json' },
      body: JSON.stringify({ collections: [{ name: 'orders', fields: [], actions: [], segments: [] }], meta: {} }),
    });
    const explained = await explainPermissions(
      { ...context, variables },
      {
        ...asker,
        folder: root,
        question: { user: 'developer@test.invalid', collection: 'orders', path: 'customer:full_name' },
      },
    );
    expect(explained).toMatchObject({ user: { email: 'developer@test.invalid' }, path: { collection: 'customers' } });
  });

  it('says what it lacks where the project names no environment', async () => {
    const root = await createShopProject();
    const context = flowContext(root);
    await nodeFileSystem.remove(path.join(root, '.env'));
    const question = { user: '1', collection: 'orders' };
    await expect(explainPermissions(context, { ...asker, folder: root, question })).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
    });
  });
});
