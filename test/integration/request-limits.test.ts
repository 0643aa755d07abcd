import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { type AgentOptions, createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { mcpCall } from '../helpers/mcp-call.ts';
import { call } from '../helpers/rest-call.ts';
import { identity } from '../helpers/shop-agent.ts';

/** A shop whose lists, once `isHeld`, last until they are aborted or released. */
async function startHeldShop(options: Partial<AgentOptions>) {
  const shop = await createEmbeddedShop(options);
  const hold = {
    isHeld: false,
    aborted: 0,
    started: Promise.withResolvers<void>(),
    released: Promise.withResolvers<void>(),
  };
  const held = async (): Promise<DataSource> => {
    const source = await createSqlDataSource(shop.databaseUri)();
    return {
      ...source,
      list: async (query, context) => {
        if (!hold.isHeld || !context.signal) return source.list(query, context);
        hold.started.resolve();
        await Promise.race([once(context.signal, 'abort'), hold.released.promise]);
        if (!context.signal.aborted) return source.list(query, context);
        hold.aborted += 1;
        return [];
      },
    };
  };
  shop.agent.addDataSource(held).mountAiMcpServer().mountOnStandaloneServer(0);
  await shop.agent.start();
  const origin = `http://127.0.0.1:${shop.agent.standaloneServerPort}`;
  const mcpUrl = `${origin}/mcp`;
  const tokens = createMcpTokens(shop.authSecret, systemClock, systemRandom, () => false);
  const mcp = { mcpUrl, mcpToken: await tokens.issue(identity, mcpUrl, mcpScopes) };
  return { hold, mcp, rest: { agentUrl: `${origin}/service`, token: shop.token } };
}

describe('limits of requests', () => {
  it('end what takes too long, in the database too, and say so', async () => {
    const { hold, rest } = await startHeldShop({ limits: { requestTimeoutMs: 1_000 } });
    hold.isHeld = true;
    const { status, json } = await call(rest, '/orders');
    expect([status, json]).toMatchObject([504, { errors: [{ code: 'REQUEST_TIMEOUT' }] }]);
    expect(hold.aborted).toBe(1);
    hold.isHeld = false;
    expect((await call(rest, '/orders')).status).toBe(200);
  });

  it('end an export that sends nothing', async () => {
    const { hold, rest } = await startHeldShop({ limits: { requestTimeoutMs: 1_000 } });
    hold.isHeld = true;
    expect((await call(rest, '/orders.csv?header=["id"]&fields[orders]=id')).status).toBe(504);
    expect(hold.aborted).toBe(1);
  });

  it('bound the time that slow requests of one person take', async () => {
    const { hold, rest } = await startHeldShop({ limits: { requestTimeoutMs: 1_000, slowSecondsPerMinute: 3 } });
    hold.isHeld = true;
    expect((await call(rest, '/orders')).status).toBe(504);
    hold.isHeld = false;
    const refused = await call(rest, '/orders');
    expect([refused.status, refused.json]).toMatchObject([429, { errors: [{ code: 'REQUEST_TIME_SPENT' }] }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('charge nobody for requests whose client has gone away before they began', { tags: 'long' }, async () => {
    const { mcp, rest } = await startHeldShop({ limits: { slowSecondsPerMinute: 3, concurrentRequests: 5 } });
    const { host, port } = new URL(rest.agentUrl);
    const asked = [
      ['GET /service/orders?timezone=UTC', rest.token, ''],
      ['PUT /service/orders/1?timezone=UTC', rest.token, '{"data":{"attributes":{}}}'],
      ['POST /mcp', mcp.mcpToken, '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ];
    for (let times = 0; times < 60; times++) {
      const [line, token, body = ''] = asked[times % asked.length] ?? [];
      const socket = connect(Number(port), '127.0.0.1');
      await once(socket, 'connect');
      const content = `content-type: application/json\r\ncontent-length: ${body.length}\r\naccept: application/json, text/event-stream`;
      const head = `${line} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n${content}\r\n\r\n`;
      await new Promise((resolve) => socket.write(`${head}${body}`, resolve));
      socket.resetAndDestroy();
    }
    // A request that never ended would have taken more than its person may use by then.
    await pause(1_500);
    expect((await call(rest, '/orders')).status).toBe(200);
    const { result } = await mcpCall(mcp, 'list', { collectionName: 'orders' });
    expect(result).not.toHaveProperty('isError', true);
  });

  it('have the slow reads of one person take turns', async () => {
    const { hold, rest } = await startHeldShop({ limits: { slowReadsPerPerson: 1 } });
    hold.isHeld = true;
    const slow = call(rest, '/orders');
    await hold.started.promise;
    hold.isHeld = false;
    const ended: string[] = [];
    const both = [
      slow.then(({ status }) => ended.push(`slow ${status}`)),
      call(rest, '/orders').then(({ status }) => ended.push(`quick ${status}`)),
    ];
    // Writes do not wait, and this one comes behind the read.
    expect((await call(rest, '/orders/0', { method: 'DELETE' })).status).toBeLessThan(500);
    expect(ended).toEqual([]);
    hold.released.resolve();
    await Promise.all(both);
    expect(ended).toEqual(['slow 200', 'quick 200']);
  });

  it('have the calls of MCP of that person take the same turns', async () => {
    const { hold, mcp, rest } = await startHeldShop({ limits: { slowReadsPerPerson: 1 } });
    const change = { collectionName: 'orders', recordId: 1, attributes: {}, dryRun: true };
    await mcpCall(mcp, 'update', change);
    hold.isHeld = true;
    const slow = call(rest, '/orders');
    await hold.started.promise;
    hold.isHeld = false;
    const ended: string[] = [];
    const both = [
      slow.then(({ status }) => ended.push(`read ${status}`)),
      mcpCall(mcp, 'list', { collectionName: 'orders' }).then(({ result }) =>
        ended.push(`call ${result.isError ? 'failed' : 'done'}`),
      ),
    ];
    // Writes do not wait. Whatever waits for no turn is done before all of these.
    for (let times = 0; times < 20; times++) await mcpCall(mcp, 'update', change);
    expect(ended).toEqual([]);
    hold.released.resolve();
    await Promise.all(both);
    expect(ended.toSorted()).toEqual(['call done', 'read 200']);
  });

  it('give a request up that has waited for its turn too long', async () => {
    const { hold, rest } = await startHeldShop({ limits: { requestTimeoutMs: 500, slowReadsPerPerson: 1 } });
    hold.isHeld = true;
    const first = call(rest, '/orders');
    await hold.started.promise;
    const second = await call(rest, '/orders');
    expect([(await first).status, second.status]).toEqual([504, 504]);
    hold.isHeld = false;
    expect((await call(rest, '/orders')).status).toBe(200);
  });

  it('take no more than this many requests at once, and all again when those are done', { tags: 'long' }, async () => {
    const { hold, rest } = await startHeldShop({ limits: { concurrentRequests: 1, requestTimeoutMs: 1_000 } });
    hold.isHeld = true;
    const first = call(rest, '/orders');
    await hold.started.promise;
    const second = await call(rest, '/orders');
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await first).status).toBe(504);
    hold.isHeld = false;
    expect((await call(rest, '/orders')).status).toBe(200);
  });

  it('send no more than this many bytes of JSON', async () => {
    const { rest } = await startHeldShop({ limits: { maxResponseSize: '1kb' } });
    expect((await call(rest, '/orders?page[size]=1&fields[orders]=id')).status).toBe(200);
    const { status, json } = await call(rest, '/orders');
    expect([status, json]).toMatchObject([422, { errors: [{ detail: expect.stringContaining('1024 bytes') }] }]);
  });

  it('make no error of a client that breaks off in the middle of a body', async () => {
    const log: string[] = [];
    const { rest } = await startHeldShop({
      loggerLevel: 'Info',
      logger: (level, message) => void log.push(`${level} ${message}`),
    });
    const { hostname, port, pathname } = new URL(rest.agentUrl);
    const head = [
      `POST ${pathname}/orders?timezone=Europe/Paris HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${rest.token}`,
      'Content-Type: application/json',
      'Content-Length: 1000',
      'Expect: 100-continue',
    ];
    const socket = connect(Number(port), hostname);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.write('{"data":');
    socket.destroy();
    await expect.poll(() => log).toContainEqual(expect.stringContaining('Info A client went away'));
    expect(log.filter((line) => line.startsWith('Error') || line.startsWith('Warn'))).toEqual([]);
    expect((await call(rest, '/orders')).status).toBe(200);
  });

  it('list at most this many records, and compare with at most this many values', async () => {
    const { rest } = await startHeldShop({});
    expect((await call(rest, '/orders?page[size]=10001')).status).toBe(400);
    const value = Array.from({ length: 10_001 }, (_, index) => index);
    const filters = JSON.stringify({ field: 'id', operator: 'in', value });
    const body = { data: { attributes: { ids: ['1'], all_records_subset_query: { filters } } } };
    const { status, text } = await call(rest, '/orders', { method: 'DELETE', body });
    expect([status, text]).toEqual([400, expect.stringContaining('10000 values')]);
  });
});
