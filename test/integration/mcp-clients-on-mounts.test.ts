import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultToolNames, mcpScopes } from '#contracts/mcp';
import { createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { hostApplications, type RunningHost } from '../helpers/host-applications.ts';
import { KeptAuthorization } from '../helpers/kept-authorization.ts';
import { answerConsent, openConsent } from '../helpers/mcp-authorization.ts';

type Host = (agent: EmbeddedAgent) => Promise<RunningHost>;

/** A connection of an official client that is not open yet. */
interface Connection {
  connect(): Promise<unknown>;
  finishAuth(answer: URLSearchParams): Promise<void>;
  toolNames(): Promise<readonly string[]>;
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

const ofOrders = { collectionName: 'customers', parentRecordId: 1, relationName: 'orders' };
const approve = { collectionName: 'orders', actionName: 'Approve', recordIds: [1] };

/** A call of each tool, in an order in which each finds what it needs. */
const calls: Readonly<Record<string, { readonly given: Readonly<Record<string, unknown>>; readonly answer: object }>> =
  {
    describeCollection: { given: { collectionName: 'orders' }, answer: { collection: 'orders' } },
    list: {
      given: { collectionName: 'orders', pagination: { size: 1 } },
      answer: { page: { returned: 1, hasMore: true } },
    },
    create: {
      given: { collectionName: 'orders', attributes: { id: 50, ref: 'M-50' } },
      answer: { record: { id: 50, ref: 'M-50' } },
    },
    update: {
      given: { collectionName: 'orders', recordId: 50, attributes: { status: 'paid' } },
      answer: { record: { status: 'paid' } },
    },
    associate: { given: { ...ofOrders, targetRecordId: 50 }, answer: { status: 'linked' } },
    listRelated: {
      given: { ...ofOrders, fields: ['id'] },
      answer: { records: expect.arrayContaining([expect.objectContaining({ id: 50 })]) },
    },
    dissociate: { given: { ...ofOrders, targetRecordIds: [50] }, answer: { status: 'unlinked' } },
    getActionForm: { given: approve, answer: { canExecute: true } },
    executeAction: { given: approve, answer: { status: 'success' } },
    delete: { given: { collectionName: 'orders', recordIds: [50] }, answer: { status: 'deleted', deletedCount: 1 } },
  };
const order: readonly string[] = defaultToolNames;

const info = { name: 'test', version: '1.0.0' };

function structuredIn(answer: object) {
  const structured: unknown = Reflect.get(answer, 'structuredContent');
  if (typeof structured !== 'object') throw new TypeError(`The tool failed: ${JSON.stringify(answer)}`);
  return structured as Readonly<Record<string, unknown>>;
}

/** The SDK of the revision 2025-11-25. */
function olderClient(url: URL, authProvider: KeptAuthorization): Connection {
  const client = new Client(info);
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  onTestFinished(() => client.close());
  return {
    connect: () => client.connect(transport),
    finishAuth: (answer) => transport.finishAuth(answer.get('code') ?? ''),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given) => structuredIn(await client.callTool({ name, arguments: { ...given } })),
  };
}

/** The SDK of the revision 2026-07-28. */
function modernClient(url: URL, authProvider: KeptAuthorization): Connection {
  const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
  const transport = new ModernTransport(url, { authProvider });
  onTestFinished(() => client.close());
  return {
    connect: () => client.connect(transport),
    finishAuth: (answer) => transport.finishAuth(answer),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given) => structuredIn(await client.callTool({ name, arguments: { ...given } })),
  };
}

const clients = { 'the SDK of 2025-11-25': olderClient, 'the SDK of 2026-07-28': modernClient };

describe.each(Object.entries<Host>(hostApplications))('an official client at an agent on %s', (_framework, host) => {
  it.each(Object.entries(clients))('%s signs a person in and calls every tool', async (_client, connectionTo) => {
    const shop = await createEmbeddedShop();
    shop.agent
      .addDataSource(createSqlDataSource(shop.databaseUri))
      .customizeCollection('orders', (orders) =>
        orders.addAction('Approve', { scope: 'Single', execute: (_context, result) => result.success('Approved') }),
      )
      .mountAiMcpServer();
    const { origin, close } = await host(shop.agent);
    onTestFinished(close);
    await shop.agent.start();
    const kept = new KeptAuthorization(mcpScopes.join(' '));
    const url = new URL(`${origin}/mcp`);

    const first = connectionTo(url, kept);
    await expect(first.connect()).rejects.toThrow();
    const browser = createBrowser();
    const answer = await answerConsent(browser, await openConsent(browser, shop, String(kept.asked)));
    await first.finishAuth(answer.searchParams);

    const second = connectionTo(url, kept);
    await second.connect();
    expect(await second.toolNames()).toEqual(defaultToolNames);
    expect(await useEveryTool(second)).toEqual([...defaultToolNames]);
  });
});

/** Call each tool on the shop, and a second time where a person has to confirm it. The names of those that did what they should. */
async function useEveryTool(connection: Connection): Promise<readonly string[]> {
  const worked: string[] = [];
  for (const [name, { given, answer }] of Object.entries(calls)) {
    let result = await connection.call(name, given);
    if (result['status'] === 'confirmation_required') {
      result = await connection.call(name, { ...given, confirmationToken: result['confirmationToken'] });
    }
    expect(result).toMatchObject(answer);
    worked.push(name);
  }
  return worked.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
}
