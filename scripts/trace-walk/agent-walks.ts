import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createAgent, createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';

const authSecret = 'the auth secret of a traced agent';
const envSecret = 'c'.repeat(64);
const tables = readFileSync(new URL('../../test/contract/rest/shop.sql', import.meta.url), 'utf8');

/** A request to the shop; with a body it is a `POST`. */
interface TracedRequest {
  /** Path below the prefix of the agent, with its query. */
  readonly target: string;
  readonly body?: object;
}

const values = { Reason: 'paid by card', Amount: 12 };

/** What can be traced, by name. */
export const requests: Readonly<Record<string, TracedRequest>> = {
  list: { target: '/orders?fields[orders]=id,ref,status&sort=-id&page[size]=15&timezone=Europe/Paris' },
  get: { target: '/orders/1?fields[orders]=id,ref,status&timezone=Europe/Paris' },
  'action-without-form': {
    target: '/_actions/orders/1/archive?timezone=Europe/Paris',
    body: { data: { attributes: { ids: ['1'] } } },
  },
  action: {
    target: '/_actions/orders/0/mark-as-paid?timezone=Europe/Paris',
    body: { data: { attributes: { ids: ['1'], values } } },
  },
};

/** A shop that somebody uses who is not an administrator. */
export interface TracedShop {
  /** Resolves when the agent has done what it does after the answer. Rejects when the request is refused. */
  ask(request: TracedRequest): Promise<void>;
  stop(): Promise<void>;
}

/** Start a platform, and an agent with a server of its own on a new SQLite file, in this process. */
export async function startTracedShop(): Promise<TracedShop> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-trace-'));
  const databaseUri = `sqlite:${path.join(folder, 'shop.sqlite')}`;
  const connection = await openSqlite(path.join(folder, 'shop.sqlite'));
  connection.execute(tables);
  connection.close();
  const platform = await startPlatform();
  const agent = createAgent({
    authSecret,
    envSecret,
    serverUrl: platform.url,
    schemaPath: path.join(folder, 'schema.json'),
    loggerLevel: 'Error',
    instantCacheRefresh: false,
  })
    // A name with a slash makes every address be looked at for it.
    .addDataSource(createSqlDataSource(databaseUri), { exclude: ['a b/ç'] })
    .mountOnStandaloneServer(0);
  addActions(agent);
  await agent.start();
  const base = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
  const headers = { authorization: `Bearer ${await tokenOfAda()}`, 'content-type': 'application/json' };
  return {
    ask: async ({ target, body }) => {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(base + target, { headers, ...sent });
      const text = await response.text();
      if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${text}`);
      await turn();
    },
    stop: async () => {
      await agent.stop();
      await platform.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Actions on one record; the form of the first has two fields. */
function addActions(agent: EmbeddedAgent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Mark as paid', {
        scope: 'Single',
        form: [
          { type: 'String', label: 'Reason', isRequired: true },
          { type: 'Number', label: 'Amount', defaultValue: 10 },
        ],
        execute: (context, result) => result.success(`Paid: ${context.formValues['Reason']}.`),
      })
      .addAction('Archive', { scope: 'Single', execute: (_context, result) => result.success('Archived.') }),
  );
}

function tokenOfAda(): Promise<string> {
  return new SignJWT({ ...ada, team: 'Operations', role: 'Operations', renderingId: 3 })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
}

const ada = {
  id: 7,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.test',
  permissionLevel: 'user',
  tags: {},
};
const right = { roles: [2] };
const documents: Readonly<Record<string, unknown>> = {
  '/agent/v4/permissions/environment': {
    collections: {
      orders: {
        collection: { browseEnabled: right, readEnabled: right },
        actions: {
          'Mark as paid': { triggerEnabled: right, approvalRequired: false },
          Archive: { triggerEnabled: right, approvalRequired: false },
        },
      },
    },
  },
  '/agent/v4/permissions/users': [{ ...ada, fullName: 'Ada Lovelace', roleId: 2 }],
  '/agent/v4/permissions/renderings/3': {
    team: { id: 1, name: 'Operations' },
    collections: {
      orders: { scope: { field: 'id', operator: 'greater_than', value: 0 }, segments: [], liveQuerySegments: [] },
    },
    stats: [],
  },
  '/service/apimaps/hashcheck': { sendSchema: false },
  '/agent/v1/activities': {},
};

/** Only what the agent asks of a platform; it knows one role, and a scope on the orders. */
async function startPlatform(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://platform.test');
    response.writeHead(pathname in documents ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(documents[pathname] ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
