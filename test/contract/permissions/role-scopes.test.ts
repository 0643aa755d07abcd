import { describe, expect, it } from 'vitest';
import type { FieldRule } from '#runtime/permissions/field-rules';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import type { Rights, RoleRights } from './rights.ts';
import { type Answer, serveShop } from './shop-agent.ts';
import { type Name, shop } from './shop-data.ts';

const engines: readonly (readonly [string, OpenTables])[] = [
  ['memory', openMemory],
  ['SQLite', openSqliteTables],
];

const nothing = { browse: false, read: false, export: false, add: false, edit: false, delete: false };
const looking = { ...nothing, browse: true, read: true };
const hidden: FieldRule = { read: false, filter: false, write: false };
const paid = { column: 'status', value: 'paid' };
const open = { column: 'status', value: 'open' };
const none = { customers: null, orders: null, lines: null };

type RightsOf = RoleRights['of'][Name];

function role(orders: RightsOf, kept: typeof paid | null, rules: Readonly<Record<string, FieldRule>> = {}): RoleRights {
  const of = { customers: looking, orders, lines: looking };
  return { of, kept: { ...none, orders: kept }, fields: { customers: {}, orders: rules, lines: {} } };
}

function person(...[first, ...furtherRoles]: readonly [RoleRights, ...RoleRights[]]): Rights {
  return { ...first, scopes: none, furtherRoles };
}

type ServedShop = Awaited<ReturnType<typeof serveShop>>;

const idsOf = ({ body }: Answer): readonly string[] =>
  (JSON.parse(body) as { readonly data: readonly { readonly id: string }[] }).data.map(({ id }) => id);
const list = async (agent: ServedShop, place = 'orders') =>
  idsOf(await agent.ask({ url: `/service/${place}?timezone=UTC` }));
const put = (agent: ServedShop, id: number, attributes: object, meta: object = {}) =>
  agent.ask({ method: 'PUT', url: `/service/orders/${id}?timezone=UTC`, body: { data: { attributes }, meta } });
const post = (agent: ServedShop, attributes: object) =>
  agent.ask({ url: '/service/orders?timezone=UTC', body: { data: { attributes } } });
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

describe.each(engines)('a role that has its rights on some records of %s', (_engine, openTables) => {
  const served = async (rights: Rights, use: (agent: ServedShop) => Promise<void>) => {
    const agent = await serveShop(openTables, shop, rights);
    try {
      await use(agent);
    } finally {
      await agent.close();
    }
  };

  /** Looks at all orders, and changes, adds, deletes and exports those that are paid. */
  const clerk = person(
    role(looking, null),
    role({ ...looking, edit: true, add: true, delete: true, export: true }, paid),
  );

  it('lends each right to the records that it covers, and shows those that another role shows', async () => {
    await served(clerk, async (agent) => {
      expect(await list(agent)).toEqual(['1', '2', '3', '4']);
      expect(statuses([await put(agent, 1, { total: 11 }), await put(agent, 2, { total: 21 })])).toEqual([200, 200]);
      expect(JSON.parse((await put(agent, 2, { total: 21 })).body)).toMatchObject({ data: null });
      const remove = (id: number) => agent.ask({ method: 'DELETE', url: `/service/orders/${id}?timezone=UTC` });
      expect((await post(agent, { reference: 'N-1', status: 'paid' })).status).toBe(200);
      expect(statuses([await remove(4), await remove(5)])).toEqual([204, 204]);
      const csv = await agent.ask({
        url: '/service/orders.csv?timezone=UTC&header=Id',
        headers: { 'service-projection': 'id' },
      });
      expect(csv.body).toBe('Id\n1\n3\n');
      const { orders } = await agent.everything();
      expect(orders.map(({ id, total }) => [id, total])).toEqual([
        [1, 11],
        [2, 20],
        [3, 10],
        [4, null],
      ]);
    });
  });

  it('adds no record, and moves none, out of its scope', async () => {
    await served(clerk, async (agent) => {
      expect(statuses([await post(agent, { reference: 'N-1', status: 'paid' })])).toEqual([200]);
      expect(statuses([await post(agent, { reference: 'N-2', status: 'open' })])).toEqual([403]);
      expect(statuses([await put(agent, 1, { status: 'open' })])).toEqual([403]);
      const { orders } = await agent.everything();
      expect(orders.map(({ reference, status }) => `${reference} ${status}`)).toEqual([
        ...shop.orders.map(({ reference, status }) => `${reference} ${status}`),
        'N-1 paid',
      ]);
    });
  });

  it('links and unlinks the records that it covers', async () => {
    await served(clerk, async (agent) => {
      const link = (id: number) =>
        agent.ask({
          url: '/service/customers/3/relationships/orders?timezone=UTC',
          body: { data: [{ id: String(id), type: 'orders' }] },
        });
      await link(1);
      await link(2);
      expect(await list(agent, 'customers/3/relationships/orders')).toEqual(['1']);
      await agent.ask({
        method: 'DELETE',
        url: '/service/customers/1/relationships/orders?timezone=UTC',
        body: { data: [{ id: '2', type: 'orders' }] },
      });
      expect(await list(agent, 'customers/1/relationships/orders')).toEqual(['2']);
    });
  });

  it('shows a record that only another right reaches nowhere else: not by its id, behind relations, in figures or to tools', async () => {
    // Lists what is paid, reads what is open.
    const split = person(role({ ...nothing, browse: true }, paid), role({ ...nothing, read: true }, open));
    await served(split, async (agent) => {
      expect(await list(agent)).toEqual(['1', '3']);
      const get = (id: number) => agent.ask({ url: `/service/orders/${id}?timezone=UTC` });
      expect(statuses([await get(1), await get(2)])).toEqual([404, 200]);
      const count = await agent.ask({ url: '/service/orders/count?timezone=UTC' });
      expect(JSON.parse(count.body)).toEqual({ count: 2 });
      const chart = await agent.ask({
        url: '/service/stats/orders?timezone=UTC',
        body: { type: 'Value', aggregator: 'Sum', aggregateFieldName: 'total' },
      });
      expect(chart.body).toContain('"countCurrent":20');
      const values = await agent.ask({ url: '/service/_internal/values/orders?timezone=UTC&field=status' });
      expect(JSON.parse(values.body)).toEqual({ values: [{ value: 'paid', count: 2 }] });
      const behind = await agent.ask({
        url: '/service/lines/1?timezone=UTC',
        headers: { 'service-projection': 'order:reference' },
      });
      expect(behind.body).not.toContain('A-1');
      const asked = encodeURIComponent(JSON.stringify({ field: 'order:reference', operator: 'equal', value: 'A-1' }));
      expect(idsOf(await agent.ask({ url: `/service/lines?timezone=UTC&filters=${asked}` }))).toEqual([]);
      const tool = await agent.askTool({ name: 'list', args: { collectionName: 'orders', fields: ['id'] } });
      expect(tool.body).not.toContain('"id":2');
    });
  });

  it('counts on no value of a record that it may change and not read', async () => {
    const blind = person(role(looking, paid), role({ ...nothing, edit: true }, null));
    await served(blind, async (agent) => {
      const seen = (id: number, total: number | null) => put(agent, id, { reference: 'Z' }, { ifMatch: { total } });
      expect(statuses([await seen(1, 99)])).toEqual([409]);
      expect(await seen(2, 99)).toEqual(await seen(2, 20));
      const checked = await agent.ask({
        method: 'PUT',
        url: '/service/orders/2?timezone=UTC&dryRun=true',
        body: { data: { attributes: { total: 1 } } },
      });
      expect(checked.body).not.toContain('20');
    });
  });

  it('keeps a field hidden that its scope is about, and opens one in its own records only', async () => {
    await served(person(role(looking, paid, { status: hidden })), async (agent) => {
      expect(await list(agent)).toEqual(['1', '3']);
      expect((await agent.ask({ url: '/service/orders/1?timezone=UTC' })).body).not.toContain('paid');
      expect((await agent.ask({ url: '/service/orders?timezone=UTC&sort=status' })).status).toBe(400);
    });
    const two = person(role(looking, paid), role(looking, open, { total: hidden }));
    await served(two, async (agent) => {
      expect(await list(agent)).toEqual(['1', '2', '3', '4']);
      expect((await agent.ask({ url: '/service/orders?timezone=UTC' })).body).not.toContain('total');
    });
  });

  it('shows nothing of a collection that its scope does not fit', async () => {
    await served(person(role(looking, { column: 'state', value: 'paid' })), async (agent) => {
      const answer = await agent.ask({ url: '/service/orders?timezone=UTC' });
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('does not fit the collection') });
    });
  });
});
