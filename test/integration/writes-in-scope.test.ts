import { describe, expect, it } from 'vitest';
import type { DataSource, TransactionalStore } from '#runtime/data-sources/interface/data-source';
import { type Agent, createSqlDataSource } from '#runtime/index';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, createShopFile, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const everything = { browseEnabled: true, readEnabled: true, addEnabled: true, editEnabled: true };
const rights = { customers: everything, orders: everything, lines: everything };
// Of the customers, Zed (1) is French and Ünal (2) German; the orders 1 and 2 are Zed's, 3 is Ünal's, 4 is nobody's.
const french = { customers: { field: 'country', operator: 'equal', value: 'FR' } };
const drafts = { orders: { field: 'status', operator: 'equal', value: 'draft' } };

const imports = (shop: Agent) => {
  shop.customizeCollection('orders', (orders) =>
    orders.importField('buyer', { path: 'customer:name' }).importField('buyerCountry', { path: 'customer:country' }),
  );
  shop.customizeCollection('lines', (lines) => lines.importField('orderCustomer', { path: 'order:customer_id' }));
};

function start(scopes: Readonly<Record<string, unknown>>, customize: unknown = imports): Promise<ShopAgent> {
  return startShopAgent(customize, { platform: platformOfRole({ rights, scopes }) });
}

const create = (agent: ShopAgent, attributes: object, relationships = {}, collection = 'orders') =>
  call(agent, `/${collection}`, { method: 'POST', body: { data: { attributes, relationships } } });
const update = (agent: ShopAgent, target: string, attributes: object) =>
  call(agent, target, { method: 'PUT', body: { data: { attributes } } });
const link = (agent: ShopAgent, target: string, id: string | null) =>
  call(agent, target, { method: 'PUT', body: { data: id === null ? null : { id } } });

/** Everything there is, whoever may see it. */
async function everythingOf({ databaseUri }: ShopAgent) {
  const source = await createSqlDataSource(databaseUri)();
  const read = (collection: string) => {
    const { fields = new Map(), primaryKey = [] } = source.collections.find(({ name }) => name === collection) ?? {};
    const projection = [...fields.values()].filter(({ kind }) => kind === 'column').map(({ name }) => name);
    const sort = primaryKey.map((field) => ({ field, ascending: true }));
    return source.list({ collection, projection, sort }, { timezone: 'UTC' });
  };
  try {
    return { customers: await read('customers'), orders: await read('orders'), lines: await read('lines') };
  } finally {
    await source.close();
  }
}

async function expectNothingWritten(
  agent: ShopAgent,
  write: () => ReturnType<typeof call>,
  refusal: { readonly status: number; readonly code: string } = { status: 404, code: 'REQUEST_NOT_FOUND' },
) {
  const before = await everythingOf(agent);
  const { status, json } = await write();
  expect([status, json]).toMatchObject([refusal.status, { errors: [{ code: refusal.code }] }]);
  expect(await everythingOf(agent)).toEqual(before);
}

/** The record was in scope, or is new, and would not be in scope afterwards. */
function expectKeptInScope(agent: ShopAgent, write: () => ReturnType<typeof call>) {
  return expectNothingWritten(agent, write, { status: 403, code: 'RECORD_OUT_OF_SCOPE' });
}

describe('an imported field', () => {
  const forbidden = { status: 403, code: 'REQUEST_FORBIDDEN' };
  const startWith = (customers: object, customize: unknown = imports) =>
    startShopAgent(customize, { platform: platformOfRole({ rights: { ...rights, customers } }) });

  it('is changed by whoever may edit the collection that it is of', async () => {
    const agent = await startWith({ ...everything, editEnabled: false });
    await expectNothingWritten(agent, () => update(agent, '/orders/1', { ref: 'B', buyer: 'Eve' }), forbidden);
    await expectNothingWritten(agent, () => update(agent, '/orders/1?dryRun=true', { buyer: 'Eve' }), forbidden);
    await expectNothingWritten(agent, () => create(agent, { ref: 'x', customer_id: 1, buyer: 'Eve' }), forbidden);
    // What stays as it is, is not a change.
    expect((await update(agent, '/orders/1', { ref: 'B', buyer: 'Zed' })).status).toBe(200);
    expect((await create(agent, { ref: 'x', buyer: 'Eve' })).status).toBe(200);
  });

  it('makes the record that is missing for whoever may add to that collection', async () => {
    const agent = await startWith({ ...everything, addEnabled: false });
    await expectNothingWritten(agent, () => update(agent, '/orders/4', { buyer: 'Eve' }), forbidden);
    await expectNothingWritten(agent, () => create(agent, { ref: 'x', buyer: 'Eve' }), forbidden);
    await expectNothingWritten(
      agent,
      () => create(agent, { ref: 'x', buyer: 'Eve' }, {}, 'orders?dryRun=true'),
      forbidden,
    );
    expect((await update(agent, '/orders/1', { buyer: 'Eve' })).status).toBe(200);
  });

  it('asks for no right where code says what its writing does, and where the collection is not published', async () => {
    const none = { browseEnabled: true, readEnabled: true };
    const replaced = await startWith(none, (shop: Agent) => {
      imports(shop);
      shop.customizeCollection('orders', (orders) => orders.replaceFieldWriting('buyer', (name) => ({ ref: name })));
    });
    expect((await update(replaced, '/orders/1', { buyer: 'Eve' })).status).toBe(200);
    expect((await everythingOf(replaced)).orders[0]).toMatchObject({ ref: 'Eve' });
    const unpublished = await startShopAgent(
      (shop: Agent) => {
        imports(shop);
        shop.removeCollection('customers');
      },
      { platform: platformOfRole({ rights: { orders: everything, lines: everything } }) },
    );
    expect((await update(unpublished, '/orders/1', { buyer: 'Eve' })).status).toBe(200);
    expect((await everythingOf(unpublished)).customers[0]).toMatchObject({ name: 'Eve' });
  });
});

describe('a key', () => {
  it.each([
    ['beyond the scope of its collection', '2'],
    ['that is not there', '99'],
  ])('leads to no record %s, whichever way it is sent', async (_which, id) => {
    const agent = await start(french);
    const key = { customer_id: Number(id) };
    await expectNothingWritten(agent, () => create(agent, { ref: 'x', ...key }));
    await expectNothingWritten(agent, () => create(agent, { ref: 'x' }, { customer: { data: { id } } }));
    await expectNothingWritten(agent, () => update(agent, '/orders/1', key));
    await expectNothingWritten(agent, () => link(agent, '/orders/1/relationships/customer', id));
    await expectNothingWritten(agent, () => update(agent, '/lines/1%7Cab', { orderCustomer: Number(id) }));
    await expectNothingWritten(agent, () => create(agent, { ref: 'x', ...key, buyer: 'Eve' }));
  });

  it('leads to a record in scope, and nowhere', async () => {
    const agent = await start(french);
    expect((await create(agent, { ref: 'x', customer_id: 1 })).status).toBe(200);
    expect((await update(agent, '/orders/4', { customer_id: 1 })).status).toBe(200);
    expect((await update(agent, '/orders/3', { customer_id: null })).status).toBe(200);
    expect((await update(agent, '/lines/4%7Cab', { orderCustomer: 1 })).status).toBe(200);
    expect((await everythingOf(agent)).orders.map((order) => order['customer_id'])).toEqual([1, 1, null, 1, 1]);
  });

  it('may be sent again when it does not change', async () => {
    const agent = await start(french);
    expect((await update(agent, '/orders/3', { ref: 'B', customer_id: 2 })).json).toMatchObject({
      data: { attributes: { ref: 'B' } },
    });
  });

  it('leads nowhere in a collection that is closed to the caller, and may be emptied', async () => {
    const platform = platformOfRole({ rights: { orders: everything } });
    const agent = await startShopAgent(imports, { platform });
    expect((await update(agent, '/orders/1', { customer_id: 2 })).status).toBe(403);
    expect((await link(agent, '/orders/1/relationships/customer', '2')).status).toBe(403);
    expect((await update(agent, '/orders/1', { customer_id: null })).status).toBe(200);
  });

  it('tells which record an imported field beside it is part of', async () => {
    const agent = await start({});
    expect((await update(agent, '/orders/4', { customer_id: 2, buyer: 'Eve' })).status).toBe(200);
    expect((await update(agent, '/orders/2', { customer_id: 2, buyer: 'Zed' })).status).toBe(200);
    expect((await update(agent, '/orders/2', { customer_id: null, buyer: 'Ada' })).status).toBe(422);
    const { customers, orders } = await everythingOf(agent);
    expect(customers.map(({ name }) => name)).toEqual(['Zed', 'Eve']);
    expect(orders.map((order) => order['customer_id'])).toEqual([1, 2, 2, 2]);
  });

  it('is held to the scope where only the other side declares a relation', async () => {
    const agent = await start(french, (shop: Agent) => {
      shop.customizeCollection('orders', (orders) => orders.removeField('customer'));
    });
    await expectNothingWritten(agent, () => create(agent, { ref: 'x', customer_id: 2 }));
  });
});

describe('a related record that is written by an imported field', () => {
  it('is in scope before', async () => {
    const agent = await start(french);
    await expectNothingWritten(agent, () => update(agent, '/orders/3', { buyer: 'Eve' }));
    await expectNothingWritten(agent, () => update(agent, '/orders/3', { buyerCountry: 'FR' }));
    expect((await update(agent, '/orders/1', { buyer: 'Eve' })).status).toBe(200);
    expect((await everythingOf(agent)).customers[0]).toMatchObject({ name: 'Eve' });
  });

  it('is in scope afterwards', async () => {
    const agent = await start(french);
    await expectKeptInScope(agent, () => update(agent, '/orders/1', { buyerCountry: 'DE' }));
    await expectKeptInScope(agent, () => update(agent, '/orders/4', { buyer: 'Eve', buyerCountry: 'DE' }));
    await expectKeptInScope(agent, () => create(agent, { ref: 'x', buyer: 'Eve', buyerCountry: 'DE' }));
    expect((await create(agent, { ref: 'x', buyer: 'Eve', buyerCountry: 'FR' })).status).toBe(200);
  });
});

describe('a record', () => {
  it('is created in scope, defaults of the database included', async () => {
    const agent = await start(drafts);
    await expectKeptInScope(agent, () => create(agent, { ref: 'x', status: 'paid' }));
    expect((await create(agent, { ref: 'x' })).status).toBe(200);
  });

  it('stays in scope when it is changed', async () => {
    const agent = await start(drafts);
    await expectKeptInScope(agent, () => update(agent, '/orders/2', { status: 'paid' }));
    expect((await update(agent, '/orders/2', { total: 5 })).status).toBe(200);
    const frenchOrders = await start({ orders: { field: 'customer:country', operator: 'equal', value: 'FR' } });
    await expectKeptInScope(frenchOrders, () => update(frenchOrders, '/orders/1', { customer_id: 2 }));
    await expectKeptInScope(frenchOrders, () => update(frenchOrders, '/orders/1', { buyerCountry: 'DE' }));
    await expectKeptInScope(frenchOrders, () => link(frenchOrders, '/orders/1/relationships/customer', null));
    const target = '/customers/1/relationships/orders';
    const body = { data: { attributes: { ids: ['1'] } } };
    await expectKeptInScope(frenchOrders, () => call(frenchOrders, target, { method: 'DELETE', body }));
  });
});

describe('the refusal of a record that would be out of scope', () => {
  const refusalOf = async (agent: ShopAgent, attributes: object) => {
    const { json } = await update(agent, '/orders/2', attributes);
    return (json as { errors: { detail: string; nextSteps: string[] }[] }).errors[0];
  };
  const open = { field: 'status', operator: 'in', value: ['draft'] };
  const message =
    'With these values, a record of "orders" would be outside of what you may see, so it was not written.';

  it('says what the scope asks for', async () => {
    const agent = await start({ orders: open });
    const asked = 'There, status must be one of "draft".';
    expect(await refusalOf(agent, { status: 'paid' })).toMatchObject({ detail: `${message} ${asked}` });
  });

  it('does not say it where the scope names what it leaves out', async () => {
    const agent = await start({ orders: { field: 'status', operator: 'not_equal', value: 'paid' } });
    expect(await refusalOf(agent, { status: 'paid' })).toMatchObject({ detail: message });
  });

  it('does not say it where the person does not read a field of the scope', async () => {
    const fields = { orders: { ref: { read: 'last4', filter: false, write: false } } };
    const both = { aggregator: 'and', conditions: [open, { field: 'ref', operator: 'present' }] };
    const platform = platformOfRole({ rights, scopes: { orders: both }, fields });
    expect(await refusalOf(await startShopAgent(imports, { platform }), { status: 'paid' })).toMatchObject({
      detail: message,
    });
  });
});

describe('a row that links two records', () => {
  const tables = `create table labels (id integer primary key, name text);
    create table order_labels (order_id integer references orders(id), label_id integer references labels(id),
      kind text default 'public', primary key (order_id, label_id));
    insert into labels values (1, 'new'), (2, 'old');
    insert into order_labels values (1, 1, 'public'), (1, 2, 'secret');`;
  const linking = { ...everything, deleteEnabled: true };
  const startWith = (kind: string) => {
    const scopes = { order_labels: { field: 'kind', operator: 'equal', value: kind } };
    const allRights = { ...rights, labels: linking, order_labels: linking };
    return startShopAgent(undefined, { platform: platformOfRole({ rights: allRights, scopes }) }, tables);
  };
  const labelsOf = async (agent: ShopAgent, order: number) => {
    const source = await createSqlDataSource(agent.databaseUri)();
    const where = { field: 'order_id', operator: 'Equal' as const, value: order };
    const rows = await source.list(
      { collection: 'order_labels', projection: ['label_id'], where },
      { timezone: 'UTC' },
    );
    await source.close();
    return rows.map((row) => row['label_id']);
  };

  it('is created in scope', async () => {
    const body = { data: [{ id: '1' }] };
    const target = '/orders/2/relationships/labels';
    const mayNot = await startWith('secret');
    expect((await call(mayNot, target, { method: 'POST', body })).status).toBe(403);
    expect(await labelsOf(mayNot, 2)).toEqual([]);
    const may = await startWith('public');
    expect((await call(may, target, { method: 'POST', body })).status).toBe(204);
    expect(await labelsOf(may, 2)).toEqual([1]);
  });

  it('is taken away in scope', async () => {
    const agent = await startWith('public');
    const body = { data: { attributes: { ids: ['1', '2'] } } };
    const target = '/orders/1/relationships/labels';
    expect((await call(agent, target, { method: 'DELETE', body })).status).toBe(204);
    expect(await labelsOf(agent, 1)).toEqual([2]);
  });
});

describe('a write of customization code', () => {
  it('is not held to the scopes of the caller', async () => {
    const agent = await start({ ...french, ...drafts }, (shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders
          .replaceFieldWriting('ref', (value) => ({ ref: value, customer_id: 2 }))
          .addHook('Before', 'Update', async (context) => {
            await context.dataSource.getCollection('customers').update({}, { country: 'DE' });
            context.patch['status'] = 'paid';
          }),
      );
    });
    expect((await update(agent, '/orders/2', { ref: 'moved' })).status).toBe(200);
    expect((await everythingOf(agent)).orders[1]).toMatchObject({ ref: 'moved', customer_id: 2, status: 'paid' });
  });
});

/** A store that counts what is read of it. */
function counting<Store extends TransactionalStore>(store: Store, count: () => void): Store {
  const members: Partial<DataSource> = {
    list: (...asked) => {
      count();
      return store.list(...asked);
    },
    count: (...asked) => {
      count();
      return store.count(...asked);
    },
    transaction: (work, context) =>
      store.transaction((inside) => work(counting(inside as TransactionalStore, count)), context),
  };
  return new Proxy(store, { get: (target, name) => Reflect.get(name in members ? members : target, name) });
}

it('writes read nothing more for the sake of scopes if there are none', async () => {
  const readsOf = async (platform?: PermissionSource) => {
    let reads = 0;
    const uri = await createShopFile();
    const main = async () => {
      const source = await createSqlDataSource(uri)();
      const { extendedBy: _all, prepareList: _kept, ...rest } = source;
      return counting(rest, () => reads++);
    };
    const agent = await startShopAgent(imports, { dataSources: { main }, ...(platform ? { platform } : {}) });
    const statuses = [
      await create(agent, { ref: 'x', customer_id: 1, buyer: 'Eve' }),
      await update(agent, '/orders/2', { customer_id: 2, status: 'paid', buyer: 'Eve' }),
      await link(agent, '/orders/4/relationships/customer', '2'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 204]);
    return reads;
  };
  const reads = await readsOf();
  expect(await readsOf(platformOfRole({ rights }))).toBe(reads);
  const scopes = { customers: { field: 'id', operator: 'less_than', value: 99 } };
  expect(await readsOf(platformOfRole({ rights, scopes }))).toBeGreaterThan(reads);
});
