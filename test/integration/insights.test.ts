import { describe, expect, it } from 'vitest';
import { type Insights, insightsSchema } from '#contracts/insights';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlEngine } from '#runtime/data-sources/sql/sql-engine';
import { openSqliteEngine } from '#runtime/data-sources/sqlite/sqlite-engine';
import type { Agent } from '#runtime/index';
import {
  call,
  createShopFile,
  identity,
  type ShopAgent,
  type ShopAgentOptions,
  startShopAgent,
} from '../helpers/shop-agent.ts';

const developer: ShopAgentOptions = { identity: { ...identity, permissionLevel: 'developer' } };

const where = (field: string, operator: string, value: unknown) =>
  `filters=${encodeURIComponent(JSON.stringify({ field, operator, value }))}`;

async function insightsOf(agent: ShopAgent, slowerThan = 0): Promise<Insights> {
  const answer = await call(agent, `/_internal/insights?slowerThan=${slowerThan}`);
  expect(answer.status).toBe(200);
  return insightsSchema.parse(answer.json);
}

const customize = (agent: Agent) => {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('shout', {
        columnType: 'String',
        dependencies: ['ref'],
        getValues: (records) => records.map(({ ref }) => `${ref}!`),
      })
      .emulateFieldOperator('shout', 'Equal')
      .addSegment('drafts', { field: 'status', operator: 'Equal', value: 'draft' })
      .addSegment('paid ones', { field: 'status', operator: 'Equal', value: 'paid' })
      .addAction('Ship', { scope: 'Global', execute: (_context, result) => result.success() })
      .addAction('Refund', { scope: 'Global', execute: (_context, result) => result.success() }),
  );
  agent.addChart('Orders', async ({ dataSource }, result) => {
    const records = await dataSource.getCollection('orders').list({}, ['id']);
    return result.value(records.length);
  });
  agent.addChart('Forgotten', (_context, result) => result.value(1));
};

describe('insights of an agent', () => {
  it('count lists, segments, counts, records, charts and actions by shape, without values', async () => {
    const agent = await startShopAgent(customize, developer);
    for (const status of ['draft', 'paid', 'paid']) {
      await call(agent, `/orders?${where('status', 'equal', status)}&sort=-ref&fields[orders]=id,ref`);
    }
    await call(agent, '/orders?segment=drafts&fields[orders]=id');
    await call(agent, '/orders/count');
    await call(agent, '/orders/1?fields[orders]=ref');
    await call(agent, '/customers/1/relationships/orders?fields[orders]=ref');
    await call(agent, '/_charts/Orders', { method: 'POST', body: {} });
    const shipped = await call(agent, '/_actions/orders/0/ship', {
      method: 'POST',
      body: { data: { attributes: {} } },
    });
    expect(shipped.status).toBe(200);
    const insights = await insightsOf(agent);
    const calls = Object.fromEntries(insights.queries.map((query) => [query.id, query.calls]));
    expect(calls).toEqual({
      'list orders where status Equal by ref descending': 3,
      'list orders in drafts': 1,
      'count orders': 1,
      'record orders': 1,
      'list orders of customers orders': 1,
      'chart Orders': 1,
      'action orders Ship': 1,
    });
    expect(insights.queries.every(({ isSlow }) => isSlow)).toBe(true);
    expect(JSON.stringify(insights)).not.toMatch(/paid"|A-1/);
    expect((await insightsOf(agent, 60_000)).queries.some(({ isSlow }) => isSlow)).toBe(false);
  });

  it('tell queries that read much to show little', async () => {
    const rows = Array.from({ length: 600 }, (_, index) => `(${index + 100}, 'X-${index}')`).join(', ');
    const agent = await startShopAgent(customize, developer, `insert into orders (id, ref) values ${rows};`);
    const answer = await call(agent, `/orders?${where('shout', 'equal', 'X-7!')}&fields[orders]=ref`);
    expect(answer.status).toBe(200);
    const { queries } = await insightsOf(agent);
    expect(queries[0]).toMatchObject({ id: 'list orders where shout Equal', shown: 1, readsMuch: true });
    expect(queries[0]?.read).toBeGreaterThan(600);
  });

  it('name what no request has used, and not what is needed anyway', async () => {
    const agent = await startShopAgent(customize, developer);
    await call(agent, '/orders?segment=drafts&fields[orders]=ref,customer&fields[customer]=name');
    await call(agent, '/orders/1', { method: 'PUT', body: { data: { attributes: { status: 'paid' } } } });
    const { unused } = await insightsOf(agent);
    const fields = unused.fields.map(({ collection, kind, name }) => `${kind} ${collection}.${name}`);
    expect(fields).toContain('computed orders.shout');
    expect(fields).toContain('column orders.total');
    for (const needed of ['id', 'ref', 'status', 'customer_id'])
      expect(fields).not.toContain(`column orders.${needed}`);
    expect(fields).not.toContain('column customers.name');
    expect(unused.customizations).toEqual([
      { collection: 'orders', kind: 'segment', name: 'paid ones' },
      { collection: 'orders', kind: 'action', name: 'Ship' },
      { collection: 'orders', kind: 'action', name: 'Refund' },
      { collection: null, kind: 'chart', name: 'Orders' },
      { collection: null, kind: 'chart', name: 'Forgotten' },
    ]);
    expect(unused.collections).not.toContain('orders');
  });

  it('name the index that a slow list lacks, with its statement, its plan and no value', async () => {
    const agent = await startShopAgent(customize, developer);
    const placed = `${where('status', 'equal', 'draft')}&sort=-total&fields[orders]=id`;
    await call(agent, `/orders?${placed}`);
    await call(agent, '/orders?segment=drafts&fields[orders]=id');
    await call(agent, '/customers/1/relationships/orders?fields[orders]=ref');
    await call(agent, `/orders?${where('shout', 'equal', 'a!')}&fields[orders]=id`);
    const { indexes } = await insightsOf(agent);
    const statements = indexes.map(({ statement, queries }) => [statement, queries.toSorted()]);
    expect(statements).toContainEqual([
      'create index "orders_status_idx" on "orders" ("status" collate binary)',
      ['list orders in drafts'],
    ]);
    expect(statements).toContainEqual([
      'create index "orders_customer_id_idx" on "orders" ("customer_id")',
      ['list orders of customers orders'],
    ]);
    const [index] = indexes;
    expect(index).toMatchObject({ estimate: null, note: expect.stringContaining('SQLite') });
    expect(index?.plan.join()).toMatch(/SCAN|SEARCH/);
    expect(JSON.stringify(indexes)).not.toContain('draft"');
    expect((await insightsOf(agent, 60_000)).indexes).toEqual([]);
    await call(agent, '/orders/1?fields[orders]=ref');
    await call(agent, '/_charts/Orders', { method: 'POST', body: {} });
    await call(agent, `/orders?${where('id', 'equal', 1)}&fields[orders]=id`);
    const { unadvised } = await insightsOf(agent);
    expect(unadvised).toEqual(
      expect.arrayContaining([
        { query: 'record orders', reason: 'key' },
        { query: 'chart Orders', reason: 'code' },
        { query: 'list orders where id Equal', reason: 'served' },
      ]),
    );
  });

  it('cost a request no statement', async () => {
    const statements: string[] = [];
    const open = async () => {
      const engine = await openSqliteEngine((await createShopFile()).replace('sqlite:', ''));
      const read: SqlEngine['read'] = (sql, ...rest) => {
        statements.push(sql);
        return engine.read(sql, ...rest);
      };
      return createDataSourceOn({ ...engine, read });
    };
    const agent = await startShopAgent(customize, { ...developer, dataSources: { main: open } });
    statements.length = 0;
    for (let again = 0; again < 5; again++) {
      await call(agent, `/orders?${where('status', 'equal', 'paid')}&fields[orders]=id`);
      await call(agent, '/orders/count');
      await call(agent, '/orders/1?fields[orders]=ref');
    }
    expect(statements).toHaveLength(15);
    expect(statements.every((sql) => sql.startsWith('select'))).toBe(true);
    expect((await insightsOf(agent)).calls).toBe(15);
  });

  it('are for administrators and developers, and refuse a duration that is not a number', async () => {
    const person = await startShopAgent();
    expect((await call(person, '/_internal/insights')).status).toBe(403);
    const agent = await startShopAgent(undefined, developer);
    expect((await call(agent, '/_internal/insights?slowerThan=soon')).status).toBe(400);
  });
});
