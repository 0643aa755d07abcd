import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import type { Agent } from '#runtime/index';
import { connectMcp, jsonInText, mcpCaller } from '../helpers/mcp-client.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';

const mcpTools = toolNames;

/** A table of many columns and long values. */
const wideTable = `create table wide (id integer primary key, ${Array.from({ length: 30 }, (_, n) => `c${n} text`).join(', ')}, full_name text, photo blob);
  insert into wide (id, c0, c29, full_name, photo) values (1, '${'x'.repeat(3_000)}', 'last', 'Ada', zeroblob(500));`;

const start = (customize?: (agent: Agent) => unknown, moreTables?: string) =>
  startShopAgent(customize, { mcpTools }, moreTables);

const charts = (agent: Agent) =>
  agent
    .addChart('Revenue', async (_context, result) => result.value(70.5))
    .customizeCollection('orders', (orders) =>
      orders
        .addSegment('Paid', { field: 'status', operator: 'Equal', value: 'paid' })
        .addChart('Label', async (context, result) => result.smart(await context.getRecord(['ref'])))
        .addAction('Ship', { scope: 'Single', description: 'x'.repeat(1_000), execute: () => undefined }),
    );

describe('getRecord', () => {
  it('gives one record by any form of its id', async () => {
    const call = await mcpCaller(await start());
    for (const recordId of [1, '1', [1]]) {
      const { structured } = await call('getRecord', {
        collectionName: 'orders',
        recordId,
        fields: ['ref', 'customer:name'],
      });
      expect(structured).toEqual({ record: { id: 1, ref: 'A-1', customer: { id: 1, name: 'Zed' } } });
    }
    const composite = await call('getRecord', { collectionName: 'lines', recordId: [4, 'a|b'] });
    expect(composite.structured).toEqual({ record: { order_id: 4, sku: 'a|b', quantity: 1 } });
    expect((await call('getRecord', { collectionName: 'lines', recordId: '4|ab' })).structured).toMatchObject({
      record: { quantity: 3 },
    });
  });

  it('says that there is no such record, and refuses an id that does not fit', async () => {
    const call = await mcpCaller(await start());
    const { error } = await call('getRecord', { collectionName: 'orders', recordId: 99 });
    expect(error).toMatchObject({ code: 'REQUEST_NOT_FOUND', message: 'There is no such record in "orders".' });
    for (const recordId of ['../customers/1', '1/../2', '%2e%2e', '1?x=1', '1#', '', 1e21]) {
      expect((await call('getRecord', { collectionName: 'orders', recordId })).error).toMatchObject({
        code: 'REQUEST_INVALID',
      });
    }
  });

  it('keeps every digit of exact numbers', async () => {
    const tables =
      "create table accounts (id bigint primary key, balance decimal(30,2)); insert into accounts values (9007199254740993, '12345678901234567.10');";
    const call = await mcpCaller(await start(undefined, tables));
    const { structured } = await call('getRecord', { collectionName: 'accounts', recordId: '9007199254740993' });
    expect(structured).toMatchObject({ record: { id: '9007199254740993' } });
    const rounded = await call('getRecord', { collectionName: 'accounts', recordId: 9007199254740992 });
    expect(rounded.error).toMatchObject({ code: 'REQUEST_INVALID', nextSteps: ['Send the id as a text.'] });
  });
});

describe('listRelated', () => {
  it('lists the records behind a relation, as list does', async () => {
    const call = await mcpCaller(await start());
    const { structured } = await call('listRelated', {
      collectionName: 'customers',
      parentRecordId: 1,
      relationName: 'orders',
      fields: ['ref'],
      filters: { field: 'status', operator: 'Equal', value: 'paid' },
      enableCount: true,
    });
    expect(structured).toEqual({
      records: [{ id: 1, ref: 'A-1' }],
      page: { number: 1, size: 15, returned: 1, hasMore: false },
      totalCount: 1,
    });
  });

  it('lists nothing for a record that is not there', async () => {
    const call = await mcpCaller(await start());
    const args = { collectionName: 'customers', parentRecordId: 99, relationName: 'orders' };
    expect((await call('listRelated', args)).structured).toMatchObject({ records: [] });
  });

  it('names the nearest relation for one that is not there', async () => {
    const call = await mcpCaller(await start());
    const { error } = await call('listRelated', {
      collectionName: 'customers',
      parentRecordId: 1,
      relationName: 'order',
    });
    expect(error).toMatchObject({ code: 'REQUEST_NOT_FOUND', nextSteps: ['Use "orders".'] });
  });
});

describe('aggregate', () => {
  it('counts orders per status in one call', async () => {
    const call = await mcpCaller(await start());
    const { structured } = await call('aggregate', { collectionName: 'orders', groupBy: [{ field: 'status' }] });
    const { groups } = structured as { groups: unknown[] };
    expect(groups).toHaveLength(2);
    expect(groups).toEqual(
      expect.arrayContaining([
        { key: { status: 'paid' }, values: { Count: 2 } },
        { key: { status: 'draft' }, values: { Count: 2 } },
      ]),
    );
  });

  it('gives several figures at once, of the records that a filter, a search or a segment selects', async () => {
    const call = await mcpCaller(await start(charts));
    const aggregates = [
      { operation: 'Count' },
      { operation: 'Sum', field: 'total' },
      { operation: 'Max', field: 'ref' },
    ];
    const ofPaid = { groups: [{ key: {}, values: { Count: 2, 'Sum(total)': '50.50', 'Max(ref)': 'A-4' } }] };
    const filters = { field: 'status', operator: 'Equal', value: 'paid' };
    for (const selection of [{ filters }, { filters: JSON.stringify(filters) }, { segment: 'Paid' }]) {
      const { structured } = await call('aggregate', { collectionName: 'orders', aggregates, ...selection });
      expect(structured).toEqual(ofPaid);
    }
    const searched = await call('aggregate', { collectionName: 'orders', search: 'A-3' });
    expect(searched.structured).toEqual({ groups: [{ key: {}, values: { Count: 1 } }] });
  });

  it('groups by time in order, and along relations', async () => {
    const call = await mcpCaller(await start());
    const byMonth = await call('aggregate', {
      collectionName: 'orders',
      groupBy: [{ field: 'placed_at', bucket: 'Month' }],
      aggregates: [{ operation: 'Count' }, { operation: 'Avg', field: 'total' }],
    });
    expect(byMonth.structured).toMatchObject({
      groups: [
        { key: { placed_at: '2024-04-01' }, values: { Count: 1 } },
        { key: { placed_at: '2024-05-01' }, values: { Count: 1 } },
        { key: { placed_at: null }, values: { Count: 2 } },
      ],
    });
    const byCustomer = await call('aggregate', {
      collectionName: 'orders',
      groupBy: [{ field: 'customer:name' }],
      limit: 1,
    });
    expect(byCustomer.structured).toEqual({
      groups: [{ key: { 'customer:name': 'Zed' }, values: { Count: 2 } }],
      truncated: true,
    });
  });

  it('names what cannot be aggregated', async () => {
    const call = await mcpCaller(await start());
    const { error } = await call('aggregate', {
      collectionName: 'orders',
      aggregates: [{ operation: 'Sum', field: 'ref' }],
    });
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', message: 'Sum needs numbers.' });
  });
});

describe('charts and collections', () => {
  it('getChart gives the value of a chart, also of one about a record', async () => {
    const call = await mcpCaller(await start(charts));
    const revenue = await call('getChart', { chartName: 'Revenue' });
    expect(revenue.structured).toMatchObject({ value: { countCurrent: 70.5 } });
    const label = await call('getChart', { chartName: 'Label', collectionName: 'orders', recordId: 2 });
    expect(label.structured).toMatchObject({ value: { ref: 'A-2' } });
    expect((await call('getChart', { chartName: 'Nope' })).error).toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    const withoutRecord = await call('getChart', { chartName: 'Label', collectionName: 'orders' });
    expect(withoutRecord.error).toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('listCollections gives names, or summaries', async () => {
    const call = await mcpCaller(await start());
    const names = await call('listCollections', {});
    expect(names.structured).toMatchObject({ total: 5, collections: expect.arrayContaining([{ name: 'orders' }]) });
    const { structured } = await call('listCollections', { detail: 'summary' });
    expect((structured as { collections: unknown[] }).collections).toContainEqual({
      name: 'lines',
      fields: ['order_id', 'sku', 'quantity'],
      relations: { order: 'orders' },
    });
  });

  it('searchCollections finds names of collections, of fields and misspelt ones, best first', async () => {
    const call = await mcpCaller(await start());
    const found = async (query: string) => {
      const { structured } = await call('searchCollections', { query });
      return (structured as { collections: { name: string }[] }).collections.map(({ name }) => name);
    };
    expect((await found('order'))[0]).toBe('orders');
    expect(await found('country')).toEqual(['customers']);
    expect(await found('custmers')).toContain('customers');
    expect(await found('nothing like it')).toEqual([]);
  });

  it('describeCollection gives the names of collections, all of them or those that are searched', async () => {
    const agent = await startShopAgent();
    const call = await mcpCaller(agent);
    const all = await call('describeCollection', {});
    expect(all.structured).toEqual({ collections: ['customers', 'orders', 'lines', 'events', 'a b/ç'] });
    const found = await call('describeCollection', { search: 'customer' });
    expect(found.structured).toEqual({ collections: ['customers', 'orders'] });
    const both = await call('describeCollection', { search: 'customer', collectionName: 'orders' });
    expect(both.error.code).toBe('REQUEST_INVALID');
  });

  it('describeCollection says operators once a type, and only what there is', async () => {
    const call = await mcpCaller(await start(charts));
    const { structured } = await call('describeCollection', { collectionName: 'orders' });
    const { fields, operators, relations } = structured as {
      fields: Record<string, unknown>[];
      operators: Record<string, string[]>;
      relations: unknown[];
    };
    expect(fields.filter((field) => 'operators' in field)).toEqual([]);
    expect(operators['String']).toEqual(expect.arrayContaining(['Equal', 'IContains']));
    expect(operators['String']).not.toContain('Match');
    expect(relations).toContainEqual({
      name: 'customer',
      type: 'ManyToOne',
      targetCollection: 'customers',
      fields: ['id', 'name', 'country'],
    });
    expect(structured).toMatchObject({
      segments: ['Paid'],
      charts: ['Label'],
      actions: [{ name: 'Ship', type: 'Single', description: 'x'.repeat(300) }],
    });
    expect(fields).toContainEqual({ name: 'total', type: 'Number', isSortable: true, isExact: true });
    expect(JSON.stringify(structured)).not.toContain('null');
  });
});

describe('every answer', () => {
  it('has a bound where a table has very many columns', async () => {
    const columns = Array.from({ length: 1_500 }, (_, n) => `a_column_with_a_long_name_${n} text`);
    const call = await mcpCaller(
      await start(undefined, `create table vast (id integer primary key, ${columns.join(', ')});`),
    );
    const described = await call('describeCollection', { collectionName: 'vast' });
    expect(described.structured).toMatchObject({ truncated: true });
    const listed = await call('list', { collectionName: 'vast' });
    expect(listed.structured).toMatchObject({ notes: [expect.stringMatching(/ and 1431 more\.$/)] });
    for (const { text } of [described, listed]) expect(Buffer.byteLength(text)).toBeLessThan(64_000);
  });

  it('has the form that its tool publishes, and is the same as text', async () => {
    const agent = await start(charts, wideTable);
    const { tools } = await (await connectMcp(agent)).listTools();
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    const validators = new Map(
      tools.map(({ name, outputSchema = {} }) => [name, ajv.compile(outputSchema as Record<string, unknown>)]),
    );
    const call = await mcpCaller(agent);
    const calls: [string, Record<string, unknown>][] = [
      ['describeCollection', { collectionName: 'orders' }],
      ['describeCollection', { collectionName: 'events' }],
      ['list', { collectionName: 'orders', enableCount: true, pagination: { size: 1 } }],
      ['list', { collectionName: 'wide' }],
      ['listRelated', { collectionName: 'customers', parentRecordId: 1, relationName: 'orders' }],
      ['listCollections', { detail: 'summary' }],
      ['searchCollections', { query: 'order', limit: 1 }],
      ['getRecord', { collectionName: 'orders', recordId: 1 }],
      ['aggregate', { collectionName: 'orders', groupBy: [{ field: 'status' }], limit: 1 }],
      ['getChart', { chartName: 'Revenue' }],
    ];
    for (const [name, args] of calls) {
      const { structured, text, isError } = await call(name, args);
      const validate = validators.get(name);
      expect([name, isError, validate?.(structured), validate?.errors]).toEqual([name, false, true, null]);
      expect(jsonInText(text)).toEqual(structured);
    }
  });
});
