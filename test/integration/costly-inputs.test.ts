import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { mcpCall } from '../helpers/mcp-call.ts';
import { call } from '../helpers/rest-call.ts';
import { identity } from '../helpers/shop-agent.ts';

/** A shop that serves REST and MCP, and counts what it reads. */
async function startShop() {
  const shop = await createEmbeddedShop();
  const reads = { count: 0 };
  const counted = async (): Promise<DataSource> => {
    const source = await createSqlDataSource(shop.databaseUri)();
    const counting =
      <Given extends unknown[], Result>(read: (...given: Given) => Result) =>
      (...given: Given) => {
        reads.count += 1;
        return read(...given);
      };
    return {
      ...source,
      list: counting(source.list),
      count: counting(source.count),
      aggregate: counting(source.aggregate),
    };
  };
  shop.agent
    .addDataSource(counted)
    .customizeCollection('orders', (orders) =>
      orders.addAction('Close', { scope: 'Bulk', execute: (_context, result) => result.success('Closed.') }),
    )
    .mountAiMcpServer({ enabledTools: ['list', 'aggregate'] })
    .mountOnStandaloneServer(0);
  await shop.agent.start();
  onTestFinished(() => shop.agent.stop());
  const origin = `http://127.0.0.1:${shop.agent.standaloneServerPort}`;
  const mcpUrl = `${origin}/mcp`;
  const mcpTokens = createMcpTokens(shop.authSecret, systemClock, systemRandom, () => false);
  const mcpToken = await mcpTokens.issue(identity, mcpUrl, mcpScopes);
  reads.count = 0;
  return { agentUrl: `${origin}/service`, token: shop.token, mcpUrl, mcpToken, reads };
}

type Shop = Awaited<ReturnType<typeof startShop>>;
type Answer = { readonly status: number; readonly text: string };

const query = (search: string) => `search=${encodeURIComponent(search)}`;
const selection = (search: string) => ({
  collection_name: 'orders',
  ids: [],
  all_records: true,
  all_records_ids_excluded: [],
  all_records_subset_query: { search },
});
const mcp = async (shop: Shop, tool: string, args: object): Promise<Answer> => {
  const { result } = await mcpCall(shop, tool, { collectionName: 'orders', ...args });
  return { status: result.isError ? 400 : 200, text: result.content[0]?.text ?? '' };
};

const searches: readonly [string, (shop: Shop, search: string) => Promise<Answer>][] = [
  ['a list', (shop, search) => call(shop, `/orders?${query(search)}`)],
  ['an extended list', (shop, search) => call(shop, `/orders?searchExtended=1&${query(search)}`)],
  ['a count', (shop, search) => call(shop, `/orders/count?${query(search)}`)],
  ['a related list', (shop, search) => call(shop, `/customers/1/relationships/orders?${query(search)}`)],
  ['an export', (shop, search) => call(shop, `/orders.csv?header=["id"]&fields[orders]=id&${query(search)}`)],
  [
    'a bulk deletion',
    (shop, search) => call(shop, '/orders', { method: 'DELETE', body: { data: { attributes: selection(search) } } }),
  ],
  [
    'a bulk action',
    (shop, search) =>
      call(shop, '/_actions/orders/0/close', { method: 'POST', body: { data: { attributes: selection(search) } } }),
  ],
  ['the MCP tool list', (shop, search) => mcp(shop, 'list', { search })],
  ['the MCP tool aggregate', (shop, search) => mcp(shop, 'aggregate', { search })],
];

describe('a search of more than 256 characters', () => {
  it.each(searches)('is refused before anything is read: %s', async (_surface, ask) => {
    const shop = await startShop();
    const refused = await ask(shop, 'a'.repeat(257));
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('at most 256 are looked for') });
    expect(shop.reads.count).toBe(0);
    expect((await ask(shop, 'ü'.repeat(256))).status).toBeLessThan(300);
  });
});

const contains = (length: number) => ({ field: 'ref', operator: 'contains', value: 'a'.repeat(length) });
const eachOf = (count: number, length: number) => ({
  aggregator: 'or',
  conditions: Array.from({ length: count }, () => contains(length)),
});

describe('a filter with long texts', () => {
  it.each<[string, object, string]>([
    ['one text', contains(1001), 'at most 1000 characters'],
    ['all texts together', eachOf(6, 900), 'have 5400 characters, and at most 5000 are allowed'],
  ])('is refused before anything is read: %s', async (_what, filter, problem) => {
    const shop = await startShop();
    const body = { type: 'Value', aggregator: 'Count', filter };
    const answers = [
      await call(shop, `/orders?filters=${encodeURIComponent(JSON.stringify(filter))}`),
      await call(shop, '/stats/orders', { method: 'POST', body }),
      await mcp(shop, 'list', { filters: filter }),
    ];
    expect(answers).toMatchObject(answers.map(() => ({ status: 400, text: expect.stringContaining(problem) })));
    expect(shop.reads.count).toBe(0);
  });

  it('is served up to the bound', async () => {
    const shop = await startShop();
    for (const filter of [contains(1000), eachOf(5, 1000)]) {
      expect((await mcp(shop, 'list', { filters: filter })).status).toBe(200);
    }
  });
});
