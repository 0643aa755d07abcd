import { expect, it } from 'vitest';
import type { FieldRule } from '#runtime/permissions/field-rules';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { Rights, RoleRights } from './rights.ts';
import { serveShop } from './shop-agent.ts';
import { names, shop } from './shop-data.ts';

const nothing = { browse: false, read: false, export: false, add: false, edit: false, delete: false };
const looking = { ...nothing, browse: true, read: true };
const onOrders = (rights: typeof nothing): RoleRights['of'] => ({ customers: nothing, orders: rights, lines: nothing });

function rulesForOrders(rules: Readonly<Record<string, FieldRule>>): NonNullable<RoleRights['fields']> {
  return { customers: {}, orders: rules, lines: {} };
}

const unwritten: FieldRule = { read: true, filter: true, write: false };

/** One role changes orders, and not their references. The other one makes orders, and not their totals. */
const rights: Rights = {
  of: onOrders({ ...looking, edit: true }),
  fields: rulesForOrders({ reference: unwritten }),
  furtherRoles: [{ of: onOrders({ ...looking, add: true }), fields: rulesForOrders({ total: unwritten }) }],
  scopes: { customers: null, orders: null, lines: null },
};

it('a role lends its right to write a field to its own right to write records only', async () => {
  const agent = await serveShop(openSqliteTables, shop, rights);
  try {
    const put = (attributes: object) =>
      agent.ask({ method: 'PUT', url: '/service/orders/1?timezone=UTC', body: { data: { attributes } } });
    const post = (attributes: object) =>
      agent.ask({ url: '/service/orders?timezone=UTC', body: { data: { attributes } } });
    expect((await put({ total: 11 })).status).toBe(200);
    expect(await put({ reference: 'Z-1' })).toMatchObject({
      status: 400,
      body: expect.stringContaining('is read-only'),
    });
    // The value that it has is not a change.
    expect((await put({ reference: 'A-1', status: 'open' })).status).toBe(200);
    expect((await post({ reference: 'Z-2', status: 'open' })).status).toBe(200);
    expect((await post({ reference: 'Z-3', total: 5 })).status).toBe(400);
    const { orders } = await agent.everything();
    expect(orders.map(({ reference, total }) => [reference, total])).toEqual([
      ['A-1', 11],
      ...shop.orders.slice(1).map(({ reference, total }) => [reference, total]),
      ['Z-2', null],
    ]);
  } finally {
    await agent.close();
  }
});

it('nobody gets by a second role a collection that neither names', async () => {
  const agent = await serveShop(openSqliteTables, shop, rights);
  try {
    for (const name of names.filter((each) => each !== 'orders')) {
      expect((await agent.ask({ url: `/service/${name}?timezone=UTC` })).status).toBe(403);
    }
  } finally {
    await agent.close();
  }
});
