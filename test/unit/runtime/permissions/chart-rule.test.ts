import { describe, expect, it } from 'vitest';
import { caller, permissions, renderingWith, setUp, user } from './permission-fixtures.ts';

const denied = { code: 'REQUEST_FORBIDDEN' };
const condition = { field: 'status', operator: 'equal', value: 'paid' };
const chart = {
  type: 'Value',
  sourceCollectionName: 'orders',
  aggregator: 'Count',
  aggregateFieldName: null,
  filter: { aggregator: 'and', conditions: [condition] },
  limit: 5,
  labelFieldName: '',
};

const listing = (...stats: Record<string, unknown>[]) => ({
  renderingPermissions: async () => ({ ...renderingWith(null), stats }),
});

describe('the right to a chart', () => {
  it.each<[string, Record<string, unknown>]>([
    ['as it is', chart],
    ['with its keys in another order', Object.fromEntries(Object.entries(chart).reverse())],
    ['without what is null', { ...chart, aggregateFieldName: undefined }],
    ['with keys that define no chart', { ...chart, contextVariables: { a: 1 }, id: 7 }],
  ])('is there for one that the rendering lists, %s', async (_how, asked) => {
    await setUp(listing({ type: 'Pie' }, chart)).authoriser.requireChart(caller, asked);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another condition', { ...chart, filter: { ...chart.filter, conditions: [{ ...condition, value: 'draft' }] } }],
    ['no condition', { ...chart, filter: null }],
    ['a condition on null', { ...chart, filter: { ...chart.filter, conditions: [{ ...condition, value: null }] } }],
    ['a number as a text', { ...chart, limit: '5' }],
    ['nothing in place of an empty text', { ...chart, labelFieldName: undefined }],
    ['one more key', { ...chart, groupByFieldName: 'status' }],
    ['nothing at all', {}],
  ])('is not there for one with %s', async (_how, asked) => {
    await expect(setUp(listing(chart)).authoriser.requireChart(caller, asked)).rejects.toMatchObject(denied);
  });

  it.each(['admin', 'developer', 'editor'] as const)('is there for any chart at the level %s', async (level) => {
    const { authoriser, calls } = setUp({ users: async () => [{ ...user, permissionLevel: level }] });
    await authoriser.requireChart(caller, chart);
    expect(calls.rendering).toBe(0);
  });

  it('uses the level that the platform knows, not the one of the token', async () => {
    const { authoriser } = setUp();
    await expect(authoriser.requireChart({ ...caller, permissionLevel: 'admin' }, chart)).rejects.toMatchObject(denied);
  });

  it('goes with a list of the charts of the caller, each of them once', async () => {
    expect(await setUp(listing(chart, { ...chart, id: 8 })).authoriser.chartsOf(caller)).toHaveLength(1);
    expect(await setUp({ environmentPermissions: async () => true }).authoriser.chartsOf(caller)).toEqual([]);
    expect(await setUp(listing(chart)).authoriser.chartsOf({ ...caller, id: 8 })).toEqual([]);
  });

  it('is there at once for a chart that was just added', async () => {
    let stats: Record<string, unknown>[] = [];
    const { authoriser, advance } = setUp({
      renderingPermissions: async () => ({ ...renderingWith(null), stats }),
    });
    await expect(authoriser.requireChart(caller, chart)).rejects.toMatchObject(denied);
    stats = [chart];
    advance(5_001);
    await authoriser.requireChart(caller, chart);
  });

  it('is there for everybody in development, and for nobody unknown', async () => {
    await setUp({ environmentPermissions: async () => true }).authoriser.requireChart(caller, chart);
    const { authoriser } = setUp({ ...listing(chart), environmentPermissions: async () => permissions });
    await expect(authoriser.requireChart({ ...caller, id: 8 }, chart)).rejects.toMatchObject(denied);
  });
});

describe('the right to the query of a segment', () => {
  const first = 'SELECT id FROM orders WHERE total > 10;';
  const second = 'SELECT id FROM orders WHERE total < 5';
  const union = (...parts: string[]) => parts.join('/*MULTI-SEGMENTS-QUERIES-UNION*/ UNION ');
  const source = {
    renderingPermissions: async () => ({
      ...renderingWith(null),
      collections: {
        orders: {
          scope: null,
          segments: ['SELECT id FROM orders'],
          liveQuerySegments: [
            { connectionName: 'main', query: first },
            { connectionName: 'main', query: second },
            { connectionName: 'other', query: 'SELECT 1 FROM orders' },
          ],
        },
      },
    }),
  };
  const ask = (query: string, connection: string | undefined = 'main', collection = 'orders') =>
    setUp(source).authoriser.requireSegmentQuery(caller, collection, connection, query);

  it.each([first, second, union(second, first), union(first.slice(0, -1), second), union(` ${second} ; `, second)])(
    'is there for %s',
    async (query) => {
      await ask(query);
    },
  );

  it.each([
    `${second} `,
    `${second};`,
    'SELECT id FROM orders',
    'SELECT 1 FROM orders',
    union(first, 'SELECT id FROM customers'),
    union(first, ''),
    `${first} UNION ${second}`,
    '',
  ])('is not there for %s', async (query) => {
    await expect(ask(query)).rejects.toMatchObject(denied);
  });

  it('is there on the connection it was listed for, and without one where it was listed so', async () => {
    await ask('SELECT 1 FROM orders', 'other');
    await expect(ask(first, 'other')).rejects.toMatchObject(denied);
    await expect(ask(first, 'nope')).rejects.toMatchObject(denied);
    const { authoriser } = setUp(source);
    await authoriser.requireSegmentQuery(caller, 'orders', undefined, 'SELECT id FROM orders');
    await expect(authoriser.requireSegmentQuery(caller, 'orders', undefined, first)).rejects.toMatchObject(denied);
  });

  it('is not there for a collection the rendering does not name', async () => {
    await expect(ask(first, 'main', 'customers')).rejects.toMatchObject(denied);
    await expect(ask(first, 'main', 'constructor')).rejects.toMatchObject(denied);
  });

  it('is there for any query at a level above user', async () => {
    const { authoriser } = setUp({ users: async () => [{ ...user, permissionLevel: 'editor' }] });
    await authoriser.requireSegmentQuery(caller, 'orders', 'main', 'anything');
  });
});
