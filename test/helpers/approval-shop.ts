import { expect, onTestFinished } from 'vitest';
import { approvalSchema, filedApprovalSchema } from '#contracts/approvals';
import { createHttp } from '#node/http/http-client';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import type { SandboxOptions } from '#sandbox/index';
import { type AnySchema, type CollectionCustomizer, createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop, envSecret } from './embedded-agent.ts';
import { eventually } from './eventually.ts';

export const seeing = { browse: true, read: true };
export const ship = (rights: object) => ({ actions: { Ship: rights } });
const drafts = { where: { field: 'status', operator: 'equal', value: 'draft' } };

/** Support ships with an approval. Managers approve drafts, Blind managers see no orders, Leads approve their own. */
export const document = {
  roles: {
    Administrators: { collections: { '*': { ...seeing, edit: true } } },
    Support: { collections: { orders: { ...seeing, ...ship({ trigger: true, needsApproval: true }) } } },
    Managers: { collections: { orders: { ...seeing, ...ship({ approve: drafts }), fields: { total: false } } } },
    Blind: { collections: { orders: ship({ approve: true }) } },
    Leads: {
      collections: {
        orders: { ...seeing, ...ship({ trigger: true, needsApproval: true, approve: true, selfApprove: true }) },
      },
    },
  },
};

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Person {
  readonly id: number;
  readonly userToken: string;
  readonly agentToken: string;
}

/** A shop with an action that needs approvals, its platform, and people to join. */
export async function startApprovalShop(
  platform: Partial<SandboxOptions> = {},
  customize: (orders: CollectionCustomizer<AnySchema, 'orders'>) => void = () => undefined,
) {
  let agentUrl: string | undefined;
  let passedMs = 0;
  const shop = await createEmbeddedShop(
    {},
    {
      clock: { ...systemClock, now: () => Date.now() + passedMs },
      hasSignInLinks: true,
      reachAgent: () => agentUrl,
      ...platform,
    },
  );
  const { sandbox, access } = shop;
  const runs: unknown[] = [];
  shop.agent
    .addDataSource(createSqlDataSource(shop.databaseUri))
    .customizeCollection('orders', (orders) => {
      customize(orders);
      orders.addAction('Ship', {
        scope: 'Bulk',
        form: [
          { type: 'String', label: 'Carrier', isRequired: true },
          { type: 'File', label: 'Slip' },
        ],
        execute: async (context, result) => {
          const { caller, formValues } = context;
          runs.push([caller.email, caller.role, await context.getRecordIds(), formValues['Carrier']]);
          return result.success(`Shipped for ${caller.email}.`);
        },
      });
    })
    .mountOnStandaloneServer(0);
  await shop.agent.start();
  const startedUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
  agentUrl = startedUrl;
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const credentials = { userToken: access.userToken, envSecret };
  const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials });
  const allKnow = () =>
    eventually(async () => expect((await client.agents()).agents.map(({ lag }) => lag)).toEqual([0]), { interval: 5 });
  const request = async (url: string, token: string, method: Method, body?: object) => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, json: (text.startsWith('{') ? JSON.parse(text) : undefined) as never, text };
  };
  let revision = (await client.replaceRights({ document, base: 0 })).revision;
  const setRights = async (changed: object) => {
    revision = (await client.replaceRights({ document: changed as typeof document, base: revision })).revision;
    await allKnow();
  };
  const tokens = createSessionTokens(shop.authSecret, systemClock, () => false);
  const setRole = async (id: number, role: string) => {
    const url = `${sandbox.url}/api/people/${id}`;
    const response = await fetch(url, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${access.userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ level: 'user', role }),
    });
    expect(response.status).toBe(200);
    await allKnow();
  };
  const join = async (name: string, role: string): Promise<Person> => {
    const user = { name, email: `${name.toLowerCase()}@example.test` };
    const { userId: id, userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    await setRole(id, role);
    const claims = await client.person(id);
    if (!claims) throw new TypeError('A new person has a place in the environment.');
    return { id, userToken, agentToken: await tokens.issue(claims) };
  };
  const atAgent = (by: Person, method: Method, path: string, body?: object) =>
    request(`${startedUrl}${path}${path.includes('?') ? '&' : '?'}timezone=UTC`, by.agentToken, method, body);
  const atPlatform = (by: Person, method: Method, path: string, body?: object) =>
    request(`${sandbox.url}/api/approvals${path}`, by.userToken, method, body);
  const order = (ids: readonly string[], more: object = {}) => ({
    data: {
      attributes: { collection_name: 'orders', action_name: 'Ship', ids, values: { Carrier: 'Sea' }, ...more },
    },
  });
  const ask = async (by: Person, ids: readonly string[], more?: object) => {
    const { status, json } = await atAgent(by, 'POST', '/_internal/approvals', order(ids, more));
    expect([status, json]).toEqual([201, expect.anything()]);
    return filedApprovalSchema.parse(json).id;
  };
  const grant = (by: Person, id: number, body: object = {}) =>
    atAgent(by, 'POST', `/_internal/approvals/${id}/grant`, body);
  const one = async (by: Person, id: number) => approvalSchema.parse((await atPlatform(by, 'GET', `/${id}`)).json);
  const change = async (sql: string) => {
    const connection = await openSqlite(shop.databaseUri.replace('sqlite:', ''));
    connection.execute(sql);
    connection.close();
  };
  return {
    ...{ shop, client, runs, join, setRole, setRights, atAgent, atPlatform, order, ask, grant, one, change },
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}
