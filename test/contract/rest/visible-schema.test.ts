import { describe, expect, it } from 'vitest';
import type { Tone, VisibleCollection, VisibleSchema } from '#contracts/visible-schema';
import type { Agent } from '#runtime/index';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import { createEmbeddedShop } from '../../helpers/embedded-agent.ts';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';
import { customizeShop } from './shop.ts';

const reading = { browseEnabled: true, readEnabled: true };
const everything = { ...reading, editEnabled: true, addEnabled: true, deleteEnabled: true, exportEnabled: true };
const everybody = { triggerEnabled: true };

async function schemaOf(agent: ShopAgent): Promise<VisibleSchema> {
  const { status, json } = await call(agent, '/_internal/schema', { timezone: null });
  expect(status).toBe(200);
  return json as VisibleSchema;
}

async function collectionOf(agent: ShopAgent, name: string): Promise<VisibleCollection> {
  const { status, json } = await call(agent, `/_internal/schema/${encodeURIComponent(name)}`, { timezone: null });
  expect(status).toBe(200);
  return json as VisibleCollection;
}

/** The shop as a role sees it that may know nothing of its customers. */
function shopWithoutCustomers(customize: (agent: Agent) => unknown = customizeShop) {
  const platform = platformOfRole({
    rights: { orders: { ...reading, editEnabled: true }, lines: { browseEnabled: true }, events: {} },
    actions: { orders: { Refund: { ...everybody, approvalRequired: true }, Fail: {} } },
  });
  return startShopAgent(customize, { platform });
}

describe('the schema that people see', () => {
  it('has the collections that the caller may browse, with the rights on each', async () => {
    const agent = await shopWithoutCustomers();
    const { collections, charts } = await schemaOf(agent);
    const none = { browse: true, read: false, edit: false, add: false, delete: false, export: false };
    expect(collections).toEqual([
      { name: 'lines', rights: none },
      { name: 'orders', rights: { ...none, read: true, edit: true } },
    ]);
    expect(charts).toEqual([{ name: 'Orders', kind: null }]);
  });

  it('has everything in a development environment', async () => {
    const { collections } = await schemaOf(await startShopAgent(customizeShop));
    expect(collections.map(({ name }) => name)).toEqual(['a b/ç', 'customers', 'events', 'lines', 'orders']);
    expect(collections.every(({ rights }) => Object.values(rights).every(Boolean))).toBe(true);
  });

  it('is empty for somebody that the permissions do not name', async () => {
    const platform: PermissionSource = { ...platformOfRole({ rights: { orders: reading } }), users: async () => [] };
    const agent = await startShopAgent(customizeShop, { platform });
    expect((await schemaOf(agent)).collections).toEqual([]);
    expect((await call(agent, '/_internal/schema/orders')).status).toBe(403);
  });

  it('needs a token', async () => {
    const agent = await startShopAgent();
    expect((await call(agent, '/_internal/schema', { token: null })).status).toBe(401);
    expect((await call(agent, '/_internal/schema/orders', { token: null })).status).toBe(401);
  });
});

describe('a collection that people see', () => {
  it('has its fields, with what a form and a filter need to know', async () => {
    const orders = await collectionOf(await startShopAgent(customizeShop), 'orders');
    expect(orders).toMatchObject({
      name: 'orders',
      primaryKey: ['id'],
      title: 'ref',
      isReadOnly: false,
      isSearchable: true,
      isCountable: true,
      hasSoftDeletes: false,
      segments: ['paid'],
      charts: [{ name: 'Total', kind: null }],
    });
    const field = (name: string) => orders.fields.find((known) => known.name === name);
    expect(orders.fields.map(({ name }) => name)).toEqual(['id', 'ref', 'status', 'total', 'placed_at', 'customer_id']);
    expect(field('status')).toMatchObject({ type: 'Enum', enumValues: ['draft', 'paid'], defaultValue: 'draft' });
    expect(field('status')).toMatchObject({ isRequired: false, isNullable: false, isGroupable: true, isFile: false });
    expect(field('ref')).toMatchObject({ isRequired: true, foreignKeyOf: null, isComputed: false });
    expect(field('ref')?.validations).toEqual([{ type: 'is present', message: 'This field is required.' }]);
    expect(field('total')).toMatchObject({ type: 'Number', isExact: true, isNullable: true });
    expect(field('customer_id')).toMatchObject({ foreignKeyOf: 'customer' });
  });

  it('says whether a scope restricts what the caller sees, and not what the scope asks for', async () => {
    const scopedTo = (scope: object | null) =>
      startShopAgent(undefined, {
        platform: platformOfRole({ rights: { orders: reading }, scopes: { orders: scope } }),
      });
    const tagOf = async (agent: ShopAgent) => (await call(agent, '/_internal/schema/orders')).headers.get('etag');
    const [plain, scoped, unfilled] = await Promise.all([
      scopedTo(null),
      scopedTo({ field: 'status', operator: 'equal', value: 'secret-status' }),
      scopedTo({ field: 'status', operator: 'equal', value: '$currentUser.tags.country' }),
    ]);
    expect((await collectionOf(plain, 'orders')).isScoped).toBe(false);
    const seen = await collectionOf(scoped, 'orders');
    expect(seen.isScoped).toBe(true);
    expect(JSON.stringify(seen)).not.toContain('secret-status');
    expect((await collectionOf(unfilled, 'orders')).isScoped).toBe(true);
    // A kept answer is not taken for that of another scope.
    expect(await tagOf(scoped)).not.toBe(await tagOf(plain));
  });

  it('offers the values of an enumeration that the scope leaves', async () => {
    const scopedTo = (operator: string, value: unknown) =>
      startShopAgent(undefined, {
        platform: platformOfRole({
          rights: { orders: reading },
          scopes: { orders: { field: 'status', operator, value } },
        }),
      });
    const [paid, notPaid] = await Promise.all([scopedTo('equal', 'paid'), scopedTo('not_equal', 'paid')]);
    const valuesOf = async (agent: ShopAgent) =>
      (await collectionOf(agent, 'orders')).fields.find(({ name }) => name === 'status')?.enumValues;
    expect([await valuesOf(paid), await valuesOf(notPaid)]).toEqual([['paid'], ['draft']]);
    const tagOf = async (agent: ShopAgent) => (await call(agent, '/_internal/schema/orders')).headers.get('etag');
    expect(await tagOf(paid)).not.toBe(await tagOf(notPaid));
  });

  it('says that an imported field is written by whoever may write where it is of', async () => {
    const waysOf = async (customers: object) => {
      const platform = platformOfRole({ rights: { orders: everything, customers } });
      const agent = await startShopAgent(
        (shop: Agent) =>
          shop.customizeCollection('orders', (orders) => orders.importField('buyer', { path: 'customer:name' })),
        { platform },
      );
      const { fields } = await collectionOf(agent, 'orders');
      const buyer = fields.find(({ name }) => name === 'buyer');
      return [buyer?.isReadOnly, buyer?.writtenBy];
    };
    expect(await waysOf(everything)).toEqual([false, undefined]);
    expect(await waysOf({ ...reading, editEnabled: true })).toEqual([false, 'edit']);
    expect(await waysOf({ ...reading, addEnabled: true })).toEqual([false, 'add']);
    expect(await waysOf(reading)).toEqual([true, undefined]);
  });

  it('names no relation of an imported key to a collection that the caller may not read', async () => {
    const relationOf = async (customers: object) => {
      const platform = platformOfRole({ rights: { lines: everything, orders: everything, customers } });
      const agent = await startShopAgent(
        (shop: Agent) =>
          shop.customizeCollection('lines', (lines) =>
            lines
              .importField('orderCustomer', { path: 'order:customer_id' })
              .addManyToOneRelation('buyer', 'customers', { foreignKey: 'orderCustomer' }),
          ),
        { platform },
      );
      const { fields } = await collectionOf(agent, 'lines');
      return fields.find(({ name }) => name === 'orderCustomer')?.foreignKeyOf;
    };
    expect(await relationOf(reading)).toBe('buyer');
    expect(await relationOf({})).toBe(null);
  });

  it('names the field that code says as the title, also where relations lead to it', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('customers', (customers) => customers.setTitle('country')),
    );
    expect((await collectionOf(agent, 'customers')).title).toBe('country');
    expect((await collectionOf(agent, 'orders')).relations[0]?.title).toBe('country');
  });

  it('says what values mean, as code declares it for the published names', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.setFieldTones('status', { paid: 'success', draft: 'neutral' }).renameField('status', 'state'),
      ),
    );
    const { fields } = await collectionOf(agent, 'orders');
    const tones = new Map(fields.map((field) => [field.name, field.tones]));
    expect(tones.get('state')).toEqual({ paid: 'success', draft: 'neutral' });
    expect(tones.get('ref')).toBeNull();
  });

  it.each<[Readonly<Record<string, Tone>>, string]>([
    [{ paid: 'green' as Tone }, 'is one of neutral, info, success, warning, danger, not "green"'],
    [{ payed: 'success' }, 'is about no value of the field. Did you mean "paid"?'],
  ])('refuses the tones %j', async (tones, fault) => {
    const started = startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) => orders.setFieldTones('status', tones)),
    );
    await expect(started).rejects.toThrow(fault);
  });

  it('says what each operator takes', async () => {
    const { fields } = await collectionOf(await startShopAgent(customizeShop), 'orders');
    const operators = fields.flatMap((field) => field.operators.map((known) => [known.operator, known.value]));
    expect(Object.fromEntries(operators)).toMatchObject({
      equal: 'one',
      in: 'list',
      missing: 'none',
      i_contains: 'text',
      longer_than: 'integer',
      previous_x_days: 'integer',
      previous_month: 'none',
    });
  });

  it('has the relations, with the title of the records that they lead to', async () => {
    const agent = await startShopAgent(customizeShop);
    expect((await collectionOf(agent, 'orders')).relations).toEqual([
      {
        name: 'customer',
        kind: 'ManyToOne',
        collection: 'customers',
        title: 'name',
        isReadOnly: false,
        isRequired: false,
        keys: ['customer_id'],
        inverse: 'orders',
      },
      expect.objectContaining({ name: 'lines', kind: 'OneToMany', keys: [], inverse: 'order' }),
    ]);
    const [order] = (await collectionOf(agent, 'lines')).relations;
    expect(order).toMatchObject({ name: 'order', title: 'ref', isRequired: true, keys: ['order_id'] });
  });

  it('says nothing of what the caller may not know', async () => {
    const agent = await shopWithoutCustomers();
    const orders = await collectionOf(agent, 'orders');
    expect(JSON.stringify(orders)).not.toMatch(/customers|country|"customer"/);
    expect(orders.fields.find(({ name }) => name === 'customer_id')?.foreignKeyOf).toBeNull();
    // Lines may be listed, but not read, so there is no way to them.
    expect(orders.relations).toEqual([]);
    for (const hidden of ['customers', 'events']) {
      const { status, text } = await call(agent, `/_internal/schema/${hidden}`);
      expect([status, text]).toEqual([403, expect.not.stringMatching(/country|text"/)]);
    }
  });

  it('hides the way back from a collection that the caller may browse and not read', async () => {
    const platform = platformOfRole({ rights: { orders: { browseEnabled: true }, lines: reading } });
    const [lines] = (await collectionOf(await startShopAgent(customizeShop, { platform }), 'orders')).relations;
    expect(lines).toMatchObject({ name: 'lines', inverse: null, isReadOnly: true });
  });

  it('has the actions that the caller may trigger, and says which need an approval', async () => {
    const { actions } = await collectionOf(await shopWithoutCustomers(), 'orders');
    expect(actions).toEqual([
      expect.objectContaining({
        name: 'Refund',
        type: 'single',
        endpoint: '/service/_actions/orders/1/refund',
        needsApproval: true,
        alwaysNeedsApproval: true,
        fields: [expect.objectContaining({ field: 'Reason' }), expect.objectContaining({ field: 'Proof' })],
      }),
    ]);
  });

  it('is found by its name in any case, and by a name with a slash', async () => {
    const agent = await startShopAgent(customizeShop);
    expect((await collectionOf(agent, 'ORDERS')).name).toBe('orders');
    expect((await collectionOf(agent, 'a b/ç')).name).toBe('a b/ç');
    const { status, text } = await call(agent, '/_internal/schema/order');
    expect([status, text]).toEqual([404, expect.stringContaining('Did you mean \\"orders\\"?')]);
  });
});

describe('the origins of webhooks', () => {
  it('are those of the setting, and none without it', async () => {
    expect((await schemaOf(await startShopAgent())).webhookOrigins).toEqual([]);
    const webhookOrigins = ['https://hooks.example.com', 'https://other.example.com:8443', 'http://localhost:9000'];
    const agent = await startShopAgent(undefined, { rest: { webhookOrigins } });
    const schema = await schemaOf(agent);
    expect(schema.webhookOrigins).toEqual(webhookOrigins);
    const { headers } = await call(agent, '/_internal/schema');
    const same = await call(agent, '/_internal/schema', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
    const other = await call(agent, '/_internal/schema', { headers: { 'if-none-match': `"${schema.revision}"` } });
    expect(other.status).toBe(200);
  });

  it.each([
    'http://hooks.example.com',
    'https://hooks.example.com/',
    'https://a@b.example',
    'hooks',
    '*',
    'https://*',
    'https://a.example;script-src',
    'https://a,b',
    'https://[::1]',
    'http://localhost.example.com',
    'http://127.0.0.1:80',
  ])('are origins of https or of this machine that a policy can name: not %s', async (origin) => {
    const created = createEmbeddedShop({ rest: { webhookOrigins: [origin] } });
    await expect(created).rejects.toMatchObject({ code: 'AGENT_OPTION_INVALID' });
  });
});

describe('the revision of the schema', () => {
  it('is in every answer to somebody who has signed in, errors included', async () => {
    const agent = await shopWithoutCustomers();
    const { revision } = await schemaOf(agent);
    expect(revision).toMatch(/^[\w-]{22}$/);
    const targets = ['/orders', '/orders/1', '/orders/count', '/customers', '/orders?sort=nope', '/_internal/schema'];
    for (const target of targets) {
      const { headers } = await call(agent, target);
      expect([target, headers.get('service-schema-revision')]).toEqual([target, revision]);
      expect(headers.get('access-control-expose-headers')).toContain('service-schema-revision');
    }
    expect((await call(agent, '/orders', { token: null })).headers.has('service-schema-revision')).toBe(false);
  });

  it('is the tag of both answers, so that a client asks for what has changed', async () => {
    const agent = await shopWithoutCustomers();
    const { revision } = await schemaOf(agent);
    for (const target of ['/_internal/schema', '/_internal/schema/orders']) {
      const same = await call(agent, target, { headers: { 'if-none-match': `W/"old", "${revision}"` } });
      expect([same.status, same.text]).toEqual([304, '']);
      expect(same.headers.get('etag')).toBe(`W/"${revision}"`);
      const other = await call(agent, target, { headers: { 'if-none-match': '"old"' } });
      expect(other.status).toBe(200);
    }
    const hidden = await call(agent, '/_internal/schema/customers', { headers: { 'if-none-match': '*' } });
    expect(hidden.status).toBe(403);
  });

  it('is another one for other rights, and the same for the same', async () => {
    const revisionWith = async (rights: Parameters<typeof platformOfRole>[0]['rights'], actions = {}) =>
      (await schemaOf(await startShopAgent(customizeShop, { platform: platformOfRole({ rights, actions }) }))).revision;
    const seen = [
      await revisionWith({ orders: reading }),
      await revisionWith({ orders: everything }),
      await revisionWith({ orders: reading, lines: reading }),
      await revisionWith({ orders: reading }, { orders: { Refund: everybody } }),
      await revisionWith({ orders: reading }, { orders: { Refund: { ...everybody, approvalRequired: true } } }),
    ];
    expect(new Set(seen).size).toBe(seen.length);
    expect(await revisionWith({ orders: reading })).toBe(seen[0]);
  });

  it('is another one when the code has changed', async () => {
    const agent = await startShopAgent();
    const first = await schemaOf(agent);
    await agent.runtime.load((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addField('half', {
          columnType: 'Number',
          dependencies: ['total'],
          getValues: (rows) => rows.map(() => 1),
        }),
      ),
    );
    const second = await schemaOf(agent);
    expect(second.revision).not.toBe(first.revision);
    const { fields } = await collectionOf(agent, 'orders');
    expect(fields.at(-1)).toMatchObject({ name: 'half', isComputed: true, isReadOnly: true });
  });

  it('asks the platform for each document once, however many collections there are', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `things_${index}`);
    const columns = Array.from({ length: 11 }, (_, index) => `c${index} TEXT`).join(', ');
    const tables = names.map((name) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${columns});`).join('\n');
    const asked: string[] = [];
    const role = platformOfRole({ rights: Object.fromEntries(names.map((name) => [name, reading])) });
    const platform: PermissionSource = {
      ...role,
      environmentPermissions: () => {
        asked.push('environment');
        return role.environmentPermissions();
      },
      users: () => {
        asked.push('users');
        return role.users();
      },
    };
    const agent = await startShopAgent(undefined, { platform }, tables);
    const { collections } = await schemaOf(agent);
    expect(collections).toHaveLength(300);
    await collectionOf(agent, 'things_299');
    expect(asked.toSorted()).toEqual(['environment', 'users']);
  });
});
