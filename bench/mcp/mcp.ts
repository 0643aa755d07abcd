import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import autocannon from 'autocannon';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { startPlatform } from '../rest/platform.ts';
import { authSecret, caller, startAgent } from '../rest/start-agent.ts';
import type { AgentTarget } from '../rest/target.ts';
import { median, rounded } from '../statistics.ts';

const rest = path.join(import.meta.dirname, '..', 'rest');
const connections = 20;
const fields = ['id', 'status', 'placed_at', 'customer_id'];
const pageSize = 15;
/** How many more tables the agents have whose lists of tools are measured. */
const largeSchemas = [50, 300] as const;
/** Of JSON in English, about. */
const bytesPerToken = 4;

/** A request as autocannon sends it. */
interface Asked {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A list through MCP, with its authorization, beside the same list through the REST API of the same agent. */
export async function benchMcp({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres(folder);
    stops.push(() => postgres.stop());
    await postgres.execute([await readFile(path.join(rest, 'shop.sql'), 'utf8')]);
    const platform = await startPlatform();
    stops.push(() => platform.stop());
    const agent = await startAgent(postgres.uri, platform.url, folder, stops);
    const [overRest, modern, legacy] = await requestsTo(agent);
    const restShare = await shareOf(modern, overRest, isQuick);
    const legacyShare = await shareOf(legacy, overRest, isQuick);
    const bytes = [await bytesOfToolsList(new URL(agent.base).origin)];
    let tables = 0;
    for (const count of largeSchemas) {
      const script = [];
      for (; tables < count; tables++) script.push(`create table wide_table_${tables} (id int primary key);`);
      await postgres.execute([script.join('\n')]);
      const large = await startAgent(postgres.uri, platform.url, folder, stops);
      bytes.push(await bytesOfToolsList(new URL(large.base).origin));
    }
    const [toolsListBytesShop = 0, toolsListBytes50 = 0, toolsListBytes300 = 0] = bytes;
    const toolsListTokens300 = Math.round(toolsListBytes300 / bytesPerToken);
    const sizes = { toolsListBytesShop, toolsListBytes50, toolsListBytes300, toolsListTokens300 };
    return { name: 'mcp', figures: { restShare, legacyShare, ...sizes } };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** The same page through REST, and through both revisions of MCP. */
async function requestsTo({ base, headers }: AgentTarget): Promise<readonly [Asked, Asked, Asked]> {
  const { origin } = new URL(base);
  const query = `fields%5Borders%5D=${fields.join(',')}&page%5Bsize%5D=${pageSize}&page%5Bnumber%5D=1&timezone=UTC`;
  const overRest: Asked = {
    url: `${base}/orders?${query}`,
    method: 'GET',
    headers,
  };
  const given = { name: 'list', arguments: { collectionName: 'orders', fields, pagination: { size: pageSize } } };
  const modern = await call(origin, 'tools/call', given, 'list');
  const legacy = await call(origin, 'tools/call', given);
  const restAnswer = (await (await fetch(overRest.url, { headers: overRest.headers })).json()) as { data: unknown[] };
  for (const asked of [modern, legacy]) {
    const text = await (await fetch(asked.url, asked)).text();
    const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
    assert.equal(result.structuredContent.records.length, restAnswer.data.length, 'Both have to give the same page.');
  }
  return [overRest, modern, legacy];
}

/** @param name of the tool, in the revision that names it in a header. */
async function call(origin: string, method: string, params: object, name?: string): Promise<Asked> {
  const url = `${origin}/mcp`;
  const token = await createMcpTokens(authSecret, systemClock, systemRandom, () => false).issue(caller, url, mcpScopes);
  const revision = '2026-07-28';
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const modern = { 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': name ?? '' };
  return {
    url,
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(name === undefined ? {} : modern),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: name === undefined ? params : { ...params, _meta: envelope },
    }),
  };
}

async function shareOf(measured: Asked, base: Asked, isQuick: boolean): Promise<number> {
  for (const asked of [measured, base]) await rateOf(asked, isQuick ? 2 : 5);
  const shares: number[] = [];
  for (let round = 0; round < (isQuick ? 4 : 16); round++) {
    // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
    const order = round % 2 === 0 ? [measured, base] : [base, measured];
    const rates = new Map<Asked, number>();
    for (const asked of order) rates.set(asked, await rateOf(asked, 1));
    shares.push((rates.get(measured) ?? 0) / (rates.get(base) ?? 1));
  }
  return rounded(median(shares));
}

async function rateOf({ url, method, headers, body }: Asked, seconds: number): Promise<number> {
  const result = await autocannon({ url, method, headers, connections, duration: seconds, ...(body ? { body } : {}) });
  assert.equal(result.non2xx + result.errors, 0, `${url} failed`);
  return result.requests.average;
}

async function bytesOfToolsList(origin: string): Promise<number> {
  const asked = await call(origin, 'tools/list', {});
  const text = await (await fetch(asked.url, asked)).text();
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  assert.ok(result.tools.length > 0, 'There are tools.');
  return Buffer.byteLength(JSON.stringify(result));
}
