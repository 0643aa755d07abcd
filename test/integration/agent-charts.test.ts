import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Agent, createMemoryDataSource } from '#runtime/index';
import { startTestAgent } from '../../src/exports/agent-testing.ts';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const customize = (shop: Agent) => {
  shop
    .addChart('Orders', async (context, result) => {
      const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
      return result.value(Number(row?.value));
    })
    .addChart('Echo', (context, result) => result.smart({ parameters: context.parameters, zone: context.timezone }))
    .addChart('Text', (_context, result) => result.smart('plain'))
    .addChart('Page', (_context, result) => result.smart('<b>bold</b>'))
    .addChart('Nothing', (_context, result) => result.smart(null))
    .addChart('Days', (_context, result) => result.timeBased('Day', { '2024-01-01T23:30:00Z': 1 }))
    .addChart('Broken', () => {
      throw new Error('password=hunter2');
    })
    .customizeCollection('orders', (orders) =>
      orders
        .addChart('Total', async (context, result) => {
          const { total } = await context.getRecord(['total']);
          return result.objective(String(total), context.recordId);
        })
        .addChart('Fixed', (_context, result) => result.value(1)),
    )
    .customizeCollection('lines', (lines) =>
      lines.addChart('Key', (context, result) => result.smart([context.recordId, context.compositeRecordId])),
    )
    .customizeCollection('a b/ç', (odd) => odd.addChart('Odd', (_context, result) => result.percentage(5)));
};

const post = (body: unknown) => ({ method: 'POST', body });
const documentOf = (value: unknown) => ({
  data: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), type: 'stats', attributes: { value } },
});

/** The code that the docs show under "Charts". */
async function documentedCharts(): Promise<(agent: Agent) => void> {
  const page = await readFile(new URL('../../docs/actions-and-charts.md', import.meta.url), 'utf8');
  const code = /## Charts\n+```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { default: declare } = await import(
    `data:text/javascript,${encodeURIComponent(`export default (agent) => {${code}}`)}`
  );
  return declare;
}

describe('charts in the docs', () => {
  it('draw a line of records, some without a date', async () => {
    const id = { name: 'id', type: 'Number' } as const;
    const shop = createMemoryDataSource([
      {
        name: 'orders',
        schema: { columns: [id, { name: 'placed_at', type: 'Date' }], primaryKey: ['id'] },
        records: ['2024-01-15T10:00:00Z', '2024-03-01T10:00:00Z', null].map((placed_at, index) => ({
          id: index,
          placed_at,
        })),
      },
      {
        name: 'customers',
        schema: {
          columns: [id, { name: 'credit', type: 'Number' }, { name: 'limit', type: 'Number' }],
          primaryKey: ['id'],
        },
        records: [{ id: 1, credit: 5, limit: 10 }],
      },
    ]);
    const agent = await startTestAgent({ dataSource: shop, customize: await documentedCharts() });
    onTestFinished(() => agent.close());
    expect(await agent.client.timeBasedChart('Orders a month')).toEqual([
      { label: 'Jan 24', values: { value: 1 } },
      { label: 'Feb 24', values: { value: 0 } },
      { label: 'Mar 24', values: { value: 1 } },
    ]);
    const credit = await agent.client.collection('customers').objectiveChart('Credit', { recordId: 1 });
    expect(credit).toEqual({ value: 5, objective: 10 });
  });
});

describe('charts of the agent', () => {
  it('answer a POST with a document and a GET with the bare value', async () => {
    const agent = await startShopAgent(customize);
    expect((await call(agent, '/_charts/Orders', post({}))).json).toEqual(documentOf({ countCurrent: 4 }));
    const bare = await call(agent, '/_charts/Orders');
    expect([bare.status, bare.json]).toEqual([200, { countCurrent: 4 }]);
  });

  it('get what was sent along as texts, the body before the address, without objects', async () => {
    const agent = await startShopAgent(customize);
    const { json } = await call(agent, '/_charts/Echo?a=1&b=1', post({ b: 2, c: true, d: { e: 1 }, f: [1] }));
    expect(json).toEqual(
      documentOf({ parameters: { a: '1', b: '2', c: 'true', timezone: 'Europe/Paris' }, zone: 'Europe/Paris' }),
    );
  });

  it('answer a GET of a text as text, of a page in a sandbox, and of nothing with nothing', async () => {
    const agent = await startShopAgent(customize);
    const text = await call(agent, '/_charts/Text');
    expect([text.text, text.headers.get('content-type')]).toEqual(['plain', 'text/plain; charset=utf-8']);
    const page = await call(agent, '/_charts/Page');
    expect([page.headers.get('content-type'), page.headers.get('content-security-policy')]).toEqual([
      'text/html; charset=utf-8',
      'sandbox',
    ]);
    expect((await call(agent, '/_charts/Nothing')).status).toBe(204);
    expect((await call(agent, '/_charts/Nothing', post({}))).json).toEqual(documentOf(null));
  });

  it('know where the request comes from, and which project the client shows', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.addChart('place', ({ caller: { project, environment, request } }, result) =>
        result.smart({ project, environment, request }),
      );
    });
    const placeShown = async (url: string) =>
      (await call(agent, '/_charts/place', { headers: { 'service-context-url': url } })).json;
    const request = { ip: '127.0.0.1' };
    expect(await placeShown('https://app.example/My%20shop/Staging/Operations/data')).toEqual({
      project: 'My shop',
      environment: 'Staging',
      request,
    });
    for (const url of ['https://app.example/shop', '/shop/staging', 'https://app.example/%E0%A4%A/staging', '']) {
      expect(await placeShown(url)).toEqual({ request });
    }
  });

  it('label days in the time zone of the caller', async () => {
    const agent = await startShopAgent(customize);
    const labels = async (timezone: string) => {
      const { json } = await call(agent, '/_charts/Days', { timezone });
      return (json as { label: string }[]).map(({ label }) => label);
    };
    expect(await labels('Asia/Tokyo')).toEqual(['02/01/2024']);
    expect(await labels('America/New_York')).toEqual(['01/01/2024']);
  });

  it('need a token and a time zone, and tell nothing of what they threw', async () => {
    const agent = await startShopAgent(customize);
    expect((await call(agent, '/_charts/Orders', { token: null })).status).toBe(401);
    expect((await call(agent, '/_charts/Orders', { timezone: null })).status).toBe(400);
    expect((await call(agent, '/_charts/Unknown', post({}))).status).toBe(404);
    const broken = await call(agent, '/_charts/Broken');
    expect([broken.status, broken.text.includes('hunter2')]).toEqual([500, false]);
    expect(agent.log.join()).toContain('hunter2');
  });
});

describe('charts of a collection', () => {
  it('are about one record, named in the body or in the address', async () => {
    const agent = await startShopAgent(customize);
    const total = documentOf({ value: 10.5, objective: 1 });
    expect((await call(agent, '/_charts/orders/Total', post({ record_id: '1' }))).json).toEqual(total);
    expect((await call(agent, '/_charts/orders/Total', post({ record_id: 1 }))).json).toEqual(total);
    expect((await call(agent, '/_charts/orders/Total?record_id=1')).json).toEqual({ value: 10.5, objective: 1 });
    const key = await call(agent, '/_charts/lines/Key', post({ record_id: '4|ab' }));
    expect(key.json).toEqual(documentOf(['4|ab', [4, 'ab']]));
  });

  it('are found below a collection whose name has a slash', async () => {
    const agent = await startShopAgent(customize);
    expect((await call(agent, `/_charts/${encodeURI('a b/ç')}/Odd`, post({ record_id: 1 }))).json).toEqual(
      documentOf(5),
    );
  });

  it.each<[string, unknown, number]>([
    ['orders/Total', {}, 400],
    ['orders/Total', { record_id: 'x' }, 400],
    ['lines/Key', { record_id: '4' }, 400],
    ['orders/Total', { record_id: '99' }, 404],
    ['orders/Key', { record_id: '1' }, 404],
    ['nowhere/Key', { record_id: '1' }, 404],
  ])('answer %s with %j with %d', async (target, body, status) => {
    const agent = await startShopAgent(customize);
    expect((await call(agent, `/_charts/${target}`, post(body))).status).toBe(status);
  });

  it('are shown to nobody who may not read the collection', async () => {
    const collection = Object.fromEntries(
      ['browse', 'read', 'edit', 'add', 'delete', 'export'].map((right) => [`${right}Enabled`, false]),
    );
    const agent = await startShopAgent(customize, {
      platform: {
        environmentPermissions: async () => ({ collections: { orders: { collection, actions: {} } } }) as never,
        users: async () => [{ id: 7, roleId: 1, tags: {} }] as never,
        renderingPermissions: async () => ({ team: { id: 1, name: 'x' }, collections: {}, stats: [] }) as never,
      },
    });
    expect((await call(agent, '/_charts/orders/Fixed', post({ record_id: '1' }))).status).toBe(403);
  });
});
