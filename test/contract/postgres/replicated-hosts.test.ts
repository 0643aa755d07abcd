import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource, type EmbeddedAgent } from '../../../src/exports/agent.ts';
import { type EmbeddedShop, openEmbeddedShop } from '../../helpers/embedded-agent.ts';
import { eventually } from '../../helpers/eventually.ts';
import { mcpCall } from '../../helpers/mcp-call.ts';
import { usePostgresReplicas } from '../../helpers/postgres-replicas.ts';
import { type CallOptions, call } from '../../helpers/rest-call.ts';
import { identity } from '../../helpers/shop-agent.ts';

const servers = usePostgresReplicas(2);

/** Who answered each request, as the meter of a host hears it. */
type Answered = string[];

async function startHost(shop: EmbeddedShop, answered: Answered): Promise<EmbeddedAgent> {
  const recorder = {
    record: (_value: number, attributes: Readonly<Record<string, unknown>> = {}) =>
      void answered.push(String(attributes['service.read_from'] ?? 'nobody')),
  };
  const meter = { createHistogram: () => recorder, createUpDownCounter: () => ({ add: () => undefined }) };
  const agent = shop.newAgent({ telemetry: { meter } });
  const replicas = { uris: servers.replicas.map((replica) => servers.uri(replica)) };
  agent
    .addDataSource(createSqlDataSource(servers.uri(servers.primary), { replicas, liveQueryConnections: 'main' }))
    .customizeCollection('notes', (notes) =>
      notes
        .addHook('Before', 'List', async (context) => {
          await context.collection.aggregate({}, { operation: 'Count' });
        })
        .addChart('letters', (context, result) => result.value(Number(context.recordId))),
    )
    .addChart('count', async ({ dataSource }, result) => {
      const [{ value } = { value: 0 }] = await dataSource.getCollection('notes').aggregate({}, { operation: 'Count' });
      return result.value(Number(value));
    })
    .mountAiMcpServer()
    .mountOnStandaloneServer(0);
  await agent.start();
  return agent;
}

/** A client of the REST API that keeps cookies, as browsers do. */
function browserOf(token: string) {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async ask(agent: EmbeddedAgent, target: string, options: CallOptions = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const address = { agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token };
      const headers = { ...options.headers, ...(cookie === '' ? {} : { cookie }) };
      const answer = await call(address, target, { ...options, timezone: 'UTC', headers });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      return answer;
    },
  };
}

/** Two hosts of one environment on one database, and Ada, who has a position. */
interface Hosts {
  readonly shop: EmbeddedShop;
  readonly one: EmbeddedAgent;
  readonly other: EmbeddedAgent;
  readonly ada: ReturnType<typeof browserOf>;
  tokenOf(id: number): Promise<string>;
}

const answered: Answered = [];
let hosts: Hosts;
let close: () => Promise<void>;

beforeAll(async () => {
  await servers.execute(servers.primary, 'create table notes (id int primary key, text text)');
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-hosts-'));
  const shop = await openEmbeddedShop(folder);
  close = async () => {
    await shop.close();
    await rm(folder, { recursive: true });
  };
  const tokens = createSessionTokens(shop.authSecret, systemClock, () => false);
  const tokenOf = (id: number) => tokens.issue({ ...identity, permissionLevel: 'admin', id });
  const [one, other] = [await startHost(shop, answered), await startHost(shop, answered)];
  hosts = { shop, one, other, ada: browserOf(await tokenOf(1)), tokenOf };
});
afterAll(() => close());

beforeEach(async () => {
  await servers.execute(servers.primary, 'delete from notes');
  await servers.caughtUp();
  for (const host of [hosts.one, hosts.other]) {
    await eventually(async () => {
      answered.length = 0;
      await hosts.ada.ask(host, '/notes/count');
      expect(answered.at(-1)).toMatch(/^127/);
    });
  }
  answered.length = 0;
});

async function replay(does: 'pause' | 'resume'): Promise<void> {
  await Promise.all(servers.replicas.map((replica) => servers.execute(replica, `select pg_wal_replay_${does}()`)));
}

const create = (id: number): CallOptions => ({
  method: 'POST',
  body: { data: { type: 'notes', attributes: { id, text: 'a note' } } },
});

it('a person who has written reads it on another host: lists, counts, CSV, charts, native queries and MCP', async () => {
  const { shop, one, other, ada } = hosts;
  await replay('pause');
  onTestFinished(() => replay('resume'));
  expect((await ada.ask(one, '/notes', create(1))).status).toBe(200);
  expect((await ada.ask(other, '/notes?fields[notes]=id')).text).toContain('"id":"1"');
  expect((await ada.ask(other, '/notes/count')).json).toEqual({ count: 1 });
  expect((await ada.ask(other, '/notes.csv?header=["id"]&fields[notes]=id')).text).toContain('1');
  expect((await ada.ask(other, '/_charts/count')).text).toContain('"countCurrent":1');
  const query = { connectionName: 'main', query: 'select count(*) as value from notes', type: 'Value' };
  const native = await ada.ask(other, '/_internal/native_query', {
    method: 'POST',
    body: { contextVariables: {}, ...query },
  });
  expect(native.text).toContain('"countCurrent":1');
  const mcpUrl = `http://127.0.0.1:${other.standaloneServerPort}/mcp`;
  const mcpToken = await createMcpTokens(shop.authSecret, systemClock, systemRandom, () => false).issue(
    { ...identity, id: 1 },
    mcpUrl,
    mcpScopes,
  );
  const { result } = await mcpCall({ mcpUrl, mcpToken }, 'list', { collectionName: 'notes' });
  expect(result.content[0]?.text).toContain('a note');
  expect(answered.filter((server) => server.includes('127.0.0.1'))).toEqual([]);
});

it('replicas answer lists, counts, charts, exports and MCP, and the primary the hooks', async () => {
  const { shop, one, ada } = hosts;
  const whoAnswered = async (ask: () => Promise<unknown>) => {
    answered.length = 0;
    await ask();
    await eventually(() => expect(answered).toHaveLength(1));
    return answered[0]?.replaceAll(/127[\d.:]+/g, 'replica');
  };
  expect(await whoAnswered(() => ada.ask(one, '/notes/count'))).toBe('replica');
  expect(await whoAnswered(() => ada.ask(one, '/notes'))).toBe('replica primary');
  expect(await whoAnswered(() => ada.ask(one, '/_charts/count'))).toBe('replica');
  expect(await whoAnswered(() => ada.ask(one, '/notes', create(5)))).toBe('nobody');
  const mcpUrl = `http://127.0.0.1:${one.standaloneServerPort}/mcp`;
  const mcpToken = await createMcpTokens(shop.authSecret, systemClock, systemRandom, () => false).issue(
    { ...identity, id: 1 },
    mcpUrl,
    mcpScopes,
  );
  const list = { collectionName: 'notes', enableCount: true };
  const calling = async () => {
    const called = await mcpCall({ mcpUrl, mcpToken }, 'list', list);
    expect(called.result.content[0]?.text).toContain('a note');
  };
  // The replicas have the note from now on, or a moment later.
  await eventually(async () => expect(await whoAnswered(calling)).toBe('replica primary'));
});

it('a client that keeps no cookies brings the position along in a header', async () => {
  const { one, other, ada, tokenOf } = hosts;
  const ben = browserOf(await tokenOf(2));
  const first = await ben.ask(one, '/notes/count');
  const position = first.headers.get('service-read-position') ?? '';
  expect(first.headers.get('access-control-expose-headers')).toContain('service-read-position');
  expect(first.headers.getSetCookie()[0]).toMatch(
    /^service_read_since=[\w.-]+; Max-Age=86400; Path=\/service; HttpOnly; SameSite=Lax$/,
  );
  ben.cookies.clear();
  answered.length = 0;
  await ben.ask(other, '/notes/count', { headers: { 'service-read-position': `x, ${position}` } });
  await eventually(() => expect(answered.at(-1)).toMatch(/^127/));
  ada.cookies.clear();
  await ada.ask(other, '/notes/count', { headers: { 'service-read-position': position } });
  await eventually(() => expect(answered.at(-1)).toBe('primary'));
});

it('a write that fails leaves its person with the primary, until that has told a new position', async () => {
  const { one, other, ada } = hosts;
  expect(
    (await ada.ask(one, '/notes', { method: 'POST', body: { data: { type: 'notes', attributes: {} } } })).status,
  ).toBe(400);
  const who = async () => {
    answered.length = 0;
    await ada.ask(other, '/notes/count');
    await eventually(() => expect(answered).toHaveLength(1));
    return answered[0];
  };
  expect(await who()).toBe('primary');
  await eventually(async () => expect(await who()).toMatch(/^127/));
});
