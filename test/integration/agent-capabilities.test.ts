import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

describe('the capabilities of an agent', () => {
  it('are the operators and groups of the fields that are published, in the order of the data source', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('customers', (customers) =>
        customers
          .renameField('name', 'title')
          .addField('shout', {
            columnType: 'String',
            dependencies: ['name'],
            getValues: (records) => records.map(({ name }) => `${name}!`),
          })
          .emulateFieldOperator('shout', 'Equal'),
      );
    });
    const body = { collectionNames: ['orders', 'customers', 'nope'] };
    const { status, json } = await call(agent, '/_internal/capabilities', { method: 'POST', body, timezone: null });
    expect(status).toBe(200);
    const { collections, nativeQueryConnections } = json as {
      collections: {
        name: string;
        fields: { name: string; operators?: string[] }[];
        aggregationCapabilities: object;
      }[];
      nativeQueryConnections: unknown[];
    };
    expect(nativeQueryConnections).toEqual([]);
    expect(collections.map(({ name }) => name)).toEqual(['customers', 'orders']);
    const [customers, orders] = collections;
    expect(customers?.fields.map(({ name }) => name)).toEqual(['id', 'title', 'country', 'shout']);
    expect(customers?.fields.find(({ name }) => name === 'shout')).toMatchObject({
      type: 'String',
      operators: expect.arrayContaining(['equal', 'in', 'missing']),
      isGroupable: true,
    });
    expect(orders?.fields).toContainEqual({ name: 'customer', type: 'ManyToOne', isGroupable: true });
    expect(orders?.aggregationCapabilities).toEqual({
      supportGroups: true,
      supportedDateOperations: ['Year', 'Quarter', 'Month', 'Week', 'Day'],
    });
  });

  it('say of a relation what a chart can group by: by one key, and not by several', async () => {
    const agent = await startShopAgent(
      undefined,
      {},
      `create table places (a integer, b integer, primary key (a, b));
       create table stays (id integer primary key, a integer, b integer, foreign key (a, b) references places (a, b));`,
    );
    const body = { collectionNames: ['orders', 'stays'] };
    const { json } = await call(agent, '/_internal/capabilities', { method: 'POST', body, timezone: null });
    const { collections } = json as {
      collections: { name: string; fields: { name: string; type: string; isGroupable: boolean }[] }[];
    };
    const relations = collections.flatMap(({ name, fields }) =>
      fields.filter(({ type }) => type === 'ManyToOne').map((field) => [name, field.name, field.isGroupable] as const),
    );
    expect(relations).toEqual([
      ['orders', 'customer', true],
      ['stays', expect.any(String), false],
    ]);
    for (const [collection, groupByFieldName, isGroupable] of relations) {
      const chart = { type: 'Pie', aggregator: 'Count', groupByFieldName };
      const { status } = await call(agent, `/stats/${collection}`, { method: 'POST', body: chart });
      expect(status).toBe(isGroupable ? 200 : 400);
    }
  });

  it('are those of the agent where no collection is asked for, and need a token', async () => {
    const agent = await startShopAgent();
    const ask = (token?: null) =>
      call(agent, '/_internal/capabilities', {
        method: 'POST',
        body: {},
        timezone: null,
        ...(token === null ? { token } : {}),
      });
    expect((await ask()).json).toMatchObject({ collections: [] });
    expect((await ask(null)).status).toBe(401);
  });
});
