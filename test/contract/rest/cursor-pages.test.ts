import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import type { Agent } from '#runtime/index';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly meta: { readonly page: { readonly next: string | null }; readonly decorators?: unknown };
}

async function pageOf(agent: ShopAgent, target: string, cursor = ''): Promise<Page> {
  const sign = target.includes('?') ? '&' : '?';
  const { status, json, text } = await call(agent, `${target}${sign}page[after]=${cursor}`);
  expect([status, text]).toEqual([200, text]);
  return json as Page;
}

/** The ids of all pages, one text for each. */
async function pagesOf(agent: ShopAgent, target: string, between?: (page: Page) => Promise<unknown>) {
  const pages: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page = await pageOf(agent, target, cursor);
    pages.push(page.data.map(({ id }) => id).join());
    cursor = page.meta.page.next;
    if (cursor !== null) await between?.(page);
  }
  return pages;
}

const dates = "'2024-04-01T10:00:00.000Z'";
const more = `INSERT INTO orders (id, ref, status, total, placed_at, customer_id) VALUES
  (5, 'a-5', 'paid', 20, ${dates}, 1), (6, 'é-6', 'draft', NULL, NULL, 2), (7, 'A-7', 'paid', 10.5, NULL, 1);`;

const sorts = ['', 'id', '-id', 'ref', '-ref', 'status', '-status,ref', 'total', '-total', 'placed_at', '-placed_at'];

describe('pages with a cursor', () => {
  it.each([...sorts, 'status,-total', 'customer.name', '-customer.name,total'])(
    'show every record once, in the order of a list: sort=%s',
    async (sort) => {
      const agent = await startShopAgent(undefined, {}, more);
      const { json } = await call(agent, `/orders?sort=${sort}`);
      const all = (json as Page).data.map(({ id }) => id);
      expect(all).toHaveLength(7);
      for (const size of [1, 2, 3, 7, 8]) {
        const pages = await pagesOf(agent, `/orders?sort=${sort}&page[size]=${size}`);
        expect([size, pages.join()]).toEqual([size, all.join()]);
        expect(pages).toHaveLength(Math.ceil(7 / size));
      }
    },
  );

  it.each([
    '',
    'id',
    '-id',
    'total',
    '-total',
    '-customer_id,total',
    'status',
    '-status,ref',
    'placed_at',
    '-placed_at',
  ])('neither repeat nor hide a record while others come and go: sort=%s', async (sort) => {
    const agent = await startShopAgent(undefined, {}, more);
    const { json } = await call(agent, `/orders?sort=${sort}`);
    const before = (json as Page).data.map(({ id }) => id);
    let next = 100;
    const pages = await pagesOf(agent, `/orders?sort=${sort}&page[size]=2`, async ({ data }) => {
      // What was shown goes, and new ones come in front of it and behind it.
      await call(agent, `/orders/${data[0]?.id}`, { method: 'DELETE' });
      const { customer_id: _customer, id: _id, ref: _ref, ...same } = data[0]?.attributes ?? {};
      const attributes = { ...same, id: next, ref: `new ${next++}` };
      await call(agent, '/orders', { method: 'POST', body: { data: { attributes } } });
    });
    const shown = pages.flatMap((page) => page.split(',')).filter((id) => Number(id) < 100);
    expect(shown).toEqual(before);
  });

  it('keep to the filter, the search, the segment and the scope', async () => {
    const customize = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addSegment('paid', { field: 'status', operator: 'Equal', value: 'paid' }),
      );
    const paid = encodeURIComponent('{"field":"status","operator":"equal","value":"paid"}');
    const agent = await startShopAgent(customize, {}, more);
    expect(await pagesOf(agent, `/orders?filters=${paid}&page[size]=2`)).toEqual(['1,4', '5,7']);
    expect(await pagesOf(agent, '/orders?segment=paid&page[size]=3&sort=-id')).toEqual(['7,5,4', '1']);
    expect(await pagesOf(agent, '/orders?search=a-&page[size]=4&sort=ref')).toHaveLength(2);
    expect((await pageOf(agent, '/orders?search=a-5')).meta.decorators).toBeDefined();

    const reading = { browseEnabled: true, readEnabled: true };
    const scope = { field: 'status', operator: 'equal', value: 'draft' };
    const platform = platformOfRole({ rights: { orders: reading }, scopes: { orders: scope } });
    const scoped = await startShopAgent(customize, { platform }, more);
    expect(await pagesOf(scoped, '/orders?page[size]=2')).toEqual(['2,3', '6']);
    expect(await pagesOf(scoped, `/orders?page[size]=2&filters=${paid}`)).toEqual(['']);
  });

  it('show related records', async () => {
    const agent = await startShopAgent(undefined, {}, more);
    expect(await pagesOf(agent, '/customers/1/relationships/orders?page[size]=2&sort=-total')).toEqual(['5,2', '7,1']);
    const { meta } = await pageOf(agent, '/customers/1/relationships/orders?page[size]=2');
    const other = `/customers/2/relationships/orders?page[size]=2&page[after]=${meta.page.next}`;
    expect((await call(agent, other)).status).toBe(400);
  });

  it('show the fields that were asked for, and not those that the order needs', async () => {
    const agent = await startShopAgent(undefined, {}, more);
    const { data } = await pageOf(agent, '/orders?fields[orders]=ref&sort=customer.name,total&page[size]=2');
    expect(data.map(({ attributes }) => attributes)).toEqual([
      { id: 4, ref: 'A-4' },
      { id: 1, ref: 'A-1' },
    ]);
  });

  it('lose no record of a view in which several have one key, in exports too', async () => {
    const view = `${more} CREATE VIEW shares AS SELECT 1 AS id, ref FROM orders;`;
    const agent = await startShopAgent(undefined, {}, view);
    expect(await pagesOf(agent, '/shares?page[size]=2')).toEqual(['1,1', '1,1', '1,1', '1']);
    const { text } = await call(agent, '/shares.csv?header=ref&fields[shares]=ref');
    expect(text.trim().split('\n').toSorted()).toHaveLength(8);
  });

  it('go on by counting where the agent sorts by itself', async () => {
    const customize = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders
          .addField('length', {
            columnType: 'Number',
            dependencies: ['ref'],
            getValues: (records) => records.map(({ ref }) => String(ref).length),
          })
          .emulateFieldSorting('length'),
      );
    const agent = await startShopAgent(customize, {}, more);
    expect((await pagesOf(agent, '/orders?sort=length&page[size]=3')).join()).toBe('1,2,3,4,5,6,7');
    expect((await pagesOf(agent, '/events?page[size]=3')).length).toBe(1);
  });

  it.each([
    ['of another sort', '/orders?sort=-id', 'the same'],
    ['of another filter', '/orders?search=x', 'the same'],
    ['of another collection', '/customers', 'the same'],
    ['that nobody has made', '/orders', 'nonsense'],
    ['that is very long', '/orders', 'A'.repeat(5_000)],
  ])('refuse a cursor %s', async (_what, target, sent) => {
    const agent = await startShopAgent();
    const { meta } = await pageOf(agent, '/orders?page[size]=1');
    const cursor = sent === 'the same' ? (meta.page.next ?? '') : sent;
    const sign = target.includes('?') ? '&' : '?';
    const { status, text } = await call(agent, `${target}${sign}page[size]=1&page[after]=${cursor}`);
    expect([status, text]).toEqual([400, expect.stringContaining('The cursor does not belong to this list.')]);
  });

  it('refuse the cursor of somebody else, and a number beside a cursor', async () => {
    const agent = await startShopAgent();
    const { meta } = await pageOf(agent, '/orders?page[size]=1');
    const other = await createSessionTokens(authSecret, systemClock, () => false).issue({ ...identity, id: 8 });
    const target = `/orders?page[size]=1&page[after]=${meta.page.next}`;
    expect((await call(agent, target, { token: other })).status).toBe(400);
    expect((await call(agent, target)).status).toBe(200);
    const both = await call(agent, '/orders?page[after]=&page[number]=2');
    expect([both.status, both.text]).toEqual([400, expect.stringContaining('a cursor or a number, and not both')]);
  });

  it('ask for the right first', async () => {
    const agent = await startShopAgent(undefined, { platform: platformOfRole({ rights: { orders: {} } }) });
    expect((await call(agent, '/orders?page[after]=nonsense')).status).toBe(403);
  });
});
