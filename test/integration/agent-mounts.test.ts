import { once } from 'node:events';
import Router from '@koa/router';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { type AgentOptions, createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { hostApplications, listen, type RunningHost } from '../helpers/host-applications.ts';
import { openResponse } from '../helpers/open-response.ts';
import { call } from '../helpers/rest-call.ts';

const notStarted = { status: 200, json: { error: 'Agent is not started' } };
const order = (attributes: object) => ({ data: { type: 'orders', attributes } });

/** A shop whose agent is mounted on an application, and not started yet. */
async function mount(host: (agent: EmbeddedAgent) => Promise<RunningHost>, options: Partial<AgentOptions> = {}) {
  const shop = await createEmbeddedShop(options);
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri));
  const { origin, close } = await host(shop.agent);
  onTestFinished(close);
  return { ...shop, origin, agentUrl: `${origin}${options.prefix ?? '/service'}` };
}

describe.each(Object.entries(hostApplications))('an agent mounted on %s', (_framework, host) => {
  it('says that it is not started before it is and after it was, and answers in between', async () => {
    const shop = await mount(host);
    const expectNotStarted = async () => {
      for (const [target, method] of [
        ['', 'GET'],
        ['/orders/1', 'GET'],
        ['/orders', 'POST'],
        ['/nope', 'DELETE'],
      ] as const) {
        const body = method === 'GET' ? undefined : {};
        const { status, json } = await call(shop, target, { method, body });
        expect({ target, status, json }).toEqual({ target, ...notStarted });
      }
    };
    await expectNotStarted();
    await shop.agent.start();
    expect((await call(shop, '')).json).toEqual({ error: null, message: 'Agent is running' });
    expect((await call(shop, '/orders/count')).json).toEqual({ count: 4 });
    await shop.agent.stop();
    await expectNotStarted();
    await shop.agent.start();
    expect((await call(shop, '/orders/count')).json).toEqual({ count: 4 });
  });

  it('knows the client behind a trusted proxy, and believes no other', async () => {
    const clientSeenWith = async (trustedProxies: string[]) => {
      const shop = await mount(host, { trustedProxies });
      shop.agent.addChart('Client', (context, result) => result.smart(context.caller.request));
      await shop.agent.start();
      return (await call(shop, '/_charts/Client', { headers: { 'x-forwarded-for': '192.0.2.9, 192.0.2.7' } })).json;
    };
    expect(await clientSeenWith(['127.0.0.1', '::1'])).toEqual({ ip: '192.0.2.7' });
    expect(await clientSeenWith([])).toEqual({ ip: expect.stringMatching(/127\.0\.0\.1|::1/) });
  });

  it('answers everything below its prefix, in any case and encoding, and nothing beside it', async () => {
    const shop = await mount(host);
    await shop.agent.start();
    const { origin, token } = shop;
    const from = (path: string, method = 'GET') => call({ agentUrl: `${origin}${path}`, token }, '', { method });
    for (const path of ['/service/orders/count', '/SERVICE/Orders/count', '/s%65rvice/orders/count/']) {
      expect({ path, json: (await from(path)).json }).toEqual({ path, json: { count: 4 } });
    }
    const ours = await from('/service/nope/at/all', 'PATCH');
    expect([ours.status, ours.text, ours.headers.has('x-service-correlation-id')]).toEqual([404, 'Not Found', true]);
    for (const path of ['/services', '/service2/orders', '/my/service/orders', '/', '/orders']) {
      const { status, headers } = await from(path);
      expect({ path, status, isOurs: headers.has('x-service-correlation-id') }).toEqual({
        path,
        status: 404,
        isOurs: false,
      });
    }
  });

  it('leaves the bodies of other paths to their routes', async () => {
    const shop = await mount(host);
    await shop.agent.start();
    const body = { says: 'hello', to: ['the', 'host'] };
    const echo = await call({ ...shop, agentUrl: shop.origin }, '/host/echo', { method: 'POST', body });
    expect(echo.json).toEqual(body);
  });

  it('reads bodies, of deletions too, whether the application has parsed them or not', async () => {
    const shop = await mount(host);
    await shop.agent.start();
    // Applications parse the first type and not the second, or read neither.
    for (const type of ['application/json', 'application/vnd.api+json']) {
      const headers = { 'content-type': type };
      const body = order({ ref: type });
      const created = await call(shop, '/orders', { method: 'POST', body, headers });
      expect({ type, status: created.status }).toEqual({ type, status: 200 });
      const { id } = (created.json as { data: { id: string } }).data;
      const selection = { data: { attributes: { ids: [id] } } };
      expect((await call(shop, '/orders', { method: 'DELETE', body: selection, headers })).status).toBe(204);
      expect((await call(shop, `/orders/${id}`)).status).toBe(404);
      // Sent in parts of a length that nobody knows before.
      const streamed = await fetch(`${shop.agentUrl}/orders/1?timezone=UTC`, {
        method: 'PUT',
        headers: { ...headers, authorization: `Bearer ${shop.token}` },
        body: new Blob([JSON.stringify(order({ ref: type }))]).stream(),
        duplex: 'half',
      } as RequestInit);
      expect(await streamed.json()).toMatchObject({ data: { attributes: { ref: type } } });
    }
    for (const body of ['', undefined]) {
      const empty = await call(shop, '/orders', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(empty.status).toBe(400);
    }
    // Keys that would change what every object has are refused, whoever has parsed them.
    const poisoned = '{"data":{"attributes":{"ref":"p"}},"__proto__":{"a":1}}';
    expect((await call(shop, '/orders', { method: 'POST', body: poisoned })).status).toBe(400);
  });

  it('streams exports, with what counts them at the end', async () => {
    const shop = await mount(host);
    await shop.agent.start();
    const response = await openResponse(
      `${shop.agentUrl}/orders.csv?timezone=UTC&fields[orders]=ref&header=Ref`,
      shop.token,
    );
    response.setEncoding('utf8');
    expect((await response.toArray()).join('')).toBe('Ref\nA-1\nA-2\nA-3\nA-4\n');
    expect(response.trailers).toEqual({ 'x-service-record-count': '4' });
  });

  it('reads no more records than a client takes, and none for one that has gone away', async () => {
    const shop = await mount(host);
    const pace = countOrders();
    pace.declareOn(shop.agent);
    await shop.agent.start();
    await addOrders(shop.databaseUri, 5000);
    const response = await openResponse(
      `${shop.agentUrl}/orders.csv?timezone=UTC&fields[orders]=wide&header=W`,
      shop.token,
    );
    for (let turn = 0; turn < 20; turn++) await call(shop, '/orders/count');
    expect(pace.records()).toBeLessThan(5000);
    response.destroy();
    await shop.agent.stop();
    expect(pace.records()).toBeLessThan(5000);
  });

  it('lets requests in flight end before it stops', async () => {
    const shop = await mount(host);
    const held = holdOrders();
    held.declareOn(shop.agent);
    await shop.agent.start();
    const waiting = call(shop, '/orders/1?fields[orders]=slow');
    await held.whenReached();
    let isStopped = false;
    const stopped = shop.agent.stop().then(() => {
      isStopped = true;
    });
    expect((await call(shop, '/orders/count')).json).toEqual(notStarted.json);
    expect(isStopped).toBe(false);
    held.release();
    expect((await waiting).json).toMatchObject({ data: { attributes: { slow: 'done' } } });
    await stopped;
  });
});

describe('mounts of one agent', () => {
  it('swap together with its own server when it restarts, without closing a socket', async () => {
    const { agent, token, databaseUri } = await createEmbeddedShop();
    agent.addDataSource(createSqlDataSource(databaseUri)).mountOnStandaloneServer(0);
    const hosts = await Promise.all(Object.values(hostApplications).map((host) => host(agent)));
    for (const { close } of hosts) onTestFinished(close);
    await agent.start();
    const origins = [...hosts.map(({ origin }) => origin), `http://127.0.0.1:${agent.standaloneServerPort}`];
    const counts = () =>
      Promise.all(
        origins.map(async (origin) => (await call({ agentUrl: `${origin}/service`, token }, '/extra/count')).status),
      );
    expect(new Set(await counts())).toEqual(new Set([404]));
    await executeSql(databaseUri, 'create table extra (id integer primary key)');
    await agent.restart();
    expect(new Set(await counts())).toEqual(new Set([200]));
  });

  it('stay as they are when an agent that is not started is asked to restart', async () => {
    const shop = await mount(hostApplications['Express 5']);
    await shop.agent.restart();
    expect((await call(shop, '')).json).toEqual(notStarted.json);
  });

  it('do not keep it from stopping while a restart waits for a request', async () => {
    const shop = await mount(hostApplications['Express 5']);
    const held = holdOrders();
    held.declareOn(shop.agent);
    await shop.agent.start();
    const waiting = call(shop, '/orders/1?fields[orders]=slow');
    await held.whenReached();
    const restarted = shop.agent.restart();
    const stopped = shop.agent.stop();
    held.release();
    expect((await waiting).status).toBe(200);
    await Promise.all([restarted, stopped]);
  });

  it('do not keep it from stopping when a client went away before the application handed its request over', async () => {
    const reached = Promise.withResolvers<void>();
    const handedOver = Promise.withResolvers<void>();
    const shop = await mount((agent) => {
      const app = express().use(async (_request, response, next) => {
        reached.resolve();
        await once(response, 'close');
        next();
        handedOver.resolve();
      });
      agent.mountOnExpress(app);
      return listen(app);
    });
    await shop.agent.start();
    const client = new AbortController();
    const answer = fetch(`${shop.agentUrl}/orders/1`, { signal: client.signal });
    await reached.promise;
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    await handedOver.promise;
    await shop.agent.stop();
  });

  it('match the whole address that the client sent, inside a router too', async () => {
    const options = { prefix: '/admin/service' };
    const onExpress = await mount((agent) => {
      const [app, router] = [express(), express.Router()];
      agent.mountOnExpress(router);
      return listen(app.use('/admin', router));
    }, options);
    const onKoa = await mount((agent) => {
      const [app, router] = [new Koa(), new Router({ prefix: '/admin' })];
      agent.mountOnKoa(router);
      return listen(app.use(router.routes()).callback());
    }, options);
    for (const shop of [onExpress, onKoa]) {
      await shop.agent.start();
      expect((await call(shop, '/orders/1')).json).toMatchObject({
        data: {
          relationships: { lines: { links: { related: { href: '/admin/service/orders/1/relationships/lines' } } } },
        },
      });
      expect((await call(shop, '/orders', { method: 'POST', body: order({ ref: 'new' }) })).status).toBe(200);
      expect((await call({ ...shop, agentUrl: `${shop.origin}/service` }, '/orders')).status).toBe(404);
    }
  });

  it('keep the headers that the application has set', async () => {
    const express5 = await mount((agent) => {
      const app = express().use((_request, response, next) => {
        response.setHeader('x-frame-options', 'DENY');
        next();
      });
      agent.mountOnExpress(app);
      return listen(app);
    });
    const fastify5 = await mount(async (agent) => {
      const app = fastify().addHook(
        'onRequest',
        async (_request, reply) => void reply.header('x-frame-options', 'DENY'),
      );
      agent.mountOnFastify(app);
      return { origin: await app.listen({ port: 0 }), close: () => app.close() };
    });
    for (const shop of [express5, fastify5]) {
      await shop.agent.start();
      expect((await call(shop, '/orders/1')).headers.get('x-frame-options')).toBe('DENY');
    }
  });

  it('take bodies that the application keeps as bytes or as text, and answer without a socket', async () => {
    for (const parse of [express.raw({ type: '*/*' }), express.text({ type: '*/*' })]) {
      const shop = await mount((agent) => {
        const app = express().use(parse);
        agent.mountOnExpress(app);
        return listen(app);
      });
      await shop.agent.start();
      expect((await call(shop, '/orders', { method: 'POST', body: order({ ref: 'new' }) })).status).toBe(200);
      expect((await call(shop, '/orders', { method: 'POST', body: '{"data":' })).status).toBe(400);
    }
    const { agent, databaseUri, token } = await createEmbeddedShop();
    const app = fastify();
    agent.addDataSource(createSqlDataSource(databaseUri)).mountOnFastify(app);
    await agent.start();
    const injected = await app.inject({
      method: 'POST',
      url: '/service/orders?timezone=UTC',
      headers: { authorization: `Bearer ${token}` },
      payload: order({ ref: 'new' }),
    });
    expect([injected.statusCode, injected.json()]).toMatchObject([200, { data: { attributes: { ref: 'new' } } }]);
    await agent.stop();
  });

  it('say so when the application has read a body and kept nothing of it', async () => {
    const shop = await mount((agent) => {
      const app = express().use((request, _response, next) => void request.resume().once('end', next));
      agent.mountOnExpress(app);
      return listen(app);
    });
    await shop.agent.start();
    const { status, json } = await call(shop, '/orders', { method: 'POST', body: order({ ref: 'x' }) });
    expect(status).toBe(500);
    expect(json).toMatchObject({ errors: [{ code: 'AGENT_BODY_CONSUMED', nextSteps: [expect.any(String)] }] });
    expect((await call(shop, '/orders/1')).status).toBe(200);
  });

  it('refuse what is not an application of their framework', async () => {
    const { agent } = await createEmbeddedShop();
    const invalid = expect.objectContaining({ code: 'AGENT_MOUNT_INVALID' });
    const other = { getHttpAdapter: () => ({ getType: () => 'other', getInstance: () => undefined }) };
    expect(() => agent.mountOnExpress({} as never)).toThrow(invalid);
    expect(() => agent.mountOnFastify(express() as never)).toThrow(invalid);
    expect(() => agent.mountOnKoa(undefined as never)).toThrow(invalid);
    expect(() => agent.mountOnNestJs(express() as never)).toThrow(invalid);
    expect(() => agent.mountOnNestJs(other)).toThrow(invalid);
  });

  it('refuse applications that would not ask the agent', async () => {
    const { agent } = await createEmbeddedShop();
    const app = fastify();
    let refused: unknown;
    app.register(async (scope) => {
      try {
        agent.mountOnFastify(scope);
      } catch (error) {
        refused = error;
      }
    });
    await app.ready();
    expect(refused).toMatchObject({ code: 'AGENT_MOUNT_INVALID', message: expect.stringContaining('plugin') });
    class Empty {}
    Module({})(Empty);
    const nest = await NestFactory.create(Empty, { logger: false });
    await nest.init();
    onTestFinished(() => nest.close());
    expect(() => agent.mountOnNestJs(nest)).toThrow('not initialised yet');
  });
});

/** A wide field of orders that counts the records it is worked out for. */
function countOrders() {
  let records = 0;
  const declareOn = (agent: EmbeddedAgent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addField('wide', {
        columnType: 'String',
        dependencies: ['id'],
        getValues: (batch) => {
          records += batch.length;
          return batch.map(() => 'x'.repeat(20_000));
        },
      }),
    );
  return { declareOn, records: () => records };
}

/** A field of orders whose values come when they are released. */
function holdOrders() {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const declareOn = (agent: EmbeddedAgent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addField('slow', {
        columnType: 'String',
        dependencies: ['id'],
        getValues: async (records) => {
          reached.resolve();
          await released.promise;
          return records.map(() => 'done');
        },
      }),
    );
  return { declareOn, whenReached: () => reached.promise, release: released.resolve };
}

async function addOrders(databaseUri: string, count: number): Promise<void> {
  await executeSql(
    databaseUri,
    `with recursive n(i) as (select 100 union all select i + 1 from n where i < ${99 + count})
     insert into orders select i, 'N-' || i, 'paid', i % 7, null, 1 from n`,
  );
}

async function executeSql(databaseUri: string, sql: string): Promise<void> {
  const connection = await openSqlite(databaseUri.replace('sqlite:', ''));
  connection.execute(sql);
  connection.close();
}
