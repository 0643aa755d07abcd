import { expect, it, onTestFinished } from 'vitest';
import { renderExplainedPermissions } from '#cli/rendering/render-explained';
import { createTerminal } from '#cli/terminal/terminal';
import { elevationListSchema, elevationSchema } from '#contracts/elevations';
import { meSchema } from '#contracts/identity';
import { processEnvironment } from '#node/environment/process-environment';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { explainPermissions } from '#runtime/agent/explain/explain-permissions';
import { compileModel } from '#runtime/compile/compile-model';
import { createPermissionDocuments } from '#runtime/permissions/permission-documents';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop, envSecret } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';

const everything = { browse: true, read: true, edit: true, add: true, delete: true, export: true };
const actions = { Who: { trigger: true } };

/** Support sees orders without totals, Billing totals without references. Only Root sees customers. */
const document = {
  roles: {
    Administrators: { collections: { '*': everything } },
    Root: {
      elevation: { by: ['Support'], maxMinutes: 1 },
      collections: { '*': everything },
    },
    Support: { collections: { orders: { browse: true, read: true, actions, fields: { total: false } } } },
    Billing: {
      collections: {
        orders: { browse: true, read: true, edit: true, fields: { ref: false, total: { write: false } } },
      },
    },
  },
  teams: {
    Operations: { collections: { orders: { scope: { field: 'ref', operator: 'equal', value: 'A-1' } } } },
    South: { collections: { orders: { scope: { field: 'ref', operator: 'equal', value: 'A-4' } } } },
  },
};

/** How far the clock of the platform is behind that of the agent. */
let behindMs = 0;
const platformClock = { ...systemClock, now: () => Date.now() - behindMs };

async function startShop() {
  const shop = await createEmbeddedShop({}, { clock: platformClock });
  const { sandbox, access } = shop;
  const user = { name: 'Bob', email: 'bob@example.test' };
  const bob = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  const api = async (method: string, path: string, body: object | undefined, token: string) => {
    const response = await fetch(`${sandbox.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as unknown };
  };
  shop.agent
    .addDataSource(createSqlDataSource(shop.databaseUri))
    .customizeCollection('orders', (orders) =>
      orders.addAction('Who', {
        scope: 'Global',
        execute: ({ caller }, result) =>
          result.success(`${caller.role}: ${caller.roles}; ${caller.team}: ${caller.teams}`),
      }),
    )
    .mountOnStandaloneServer(0);
  await shop.agent.start();
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const credentials = { userToken: access.userToken, envSecret };
  const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials });
  const allKnow = () =>
    eventually(async () => expect((await client.agents()).agents.map(({ lag }) => lag)).toEqual([0]), { interval: 5 });
  await client.replaceRights({ document, base: 0 });
  const change = { level: 'user', roles: ['Support', 'Billing'], teams: ['Operations', 'South'] };
  expect((await api('PATCH', `/api/people/${bob.userId}`, change, access.userToken)).status).toBe(200);
  await allKnow();
  const claims = await client.person(bob.userId);
  if (!claims) throw new TypeError('Bob has a place in the environment.');
  const token = await createSessionTokens(shop.authSecret, systemClock, () => false).issue(claims);
  const ask = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${shop.agent.standaloneServerPort}/service${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const asBob = (method: string, path: string, body?: object) => api(method, path, body, bob.userToken);
  const asAda = (method: string, path: string, body?: object) => api(method, path, body, access.userToken);
  return { shop, client, claims, ask, asBob, asAda, allKnow };
}

it('somebody has what two roles and two teams give, and more for a time', async () => {
  const { shop, client, claims, ask, asBob, asAda, allKnow } = await startShop();
  expect(claims).toMatchObject({
    role: 'Support',
    roles: ['Support', 'Billing'],
    team: 'Operations',
    teams: ['Operations', 'South'],
  });

  // Each role shows what the other one hides, and each team its own records.
  const list = await ask('GET', '/orders?timezone=UTC');
  const records = ((await list.json()) as { data: { attributes: Record<string, unknown> }[] }).data;
  expect(records.map(({ attributes }) => [attributes['ref'], attributes['total']])).toEqual([
    ['A-1', '10.50'],
    ['A-4', '40.00'],
  ]);
  // Only Billing edits, and it does not write totals.
  const put = (attributes: object) =>
    ask('PUT', '/orders/1?timezone=UTC', { data: { id: '1', type: 'orders', attributes } });
  expect((await put({ total: 99 })).status).toBe(400);
  expect((await put({ ref: 'B-1' })).status).toBe(400);
  expect((await put({ status: 'paid' })).status).toBe(200);
  const who = await ask('POST', '/_actions/orders/0/who?timezone=UTC', {
    data: { attributes: { values: {}, ids: [] } },
  });
  expect(await who.text()).toContain('Support: Support,Billing; Operations: Operations,South');
  expect(meSchema.parse((await asBob('GET', '/api/me')).body)).toMatchObject({
    ...{ role: 'Support', team: 'Operations' },
    roles: [
      { name: 'Support', source: 'given' },
      { name: 'Billing', source: 'given' },
    ],
  });

  // A role for a time takes a reason, and the yes of somebody else.
  const customers = async () => (await ask('GET', '/customers?timezone=UTC')).status;
  expect(await customers()).toBe(403);
  const wanted = { role: 'Root', minutes: 1, reason: 'Order A-1 hangs.' };
  expect((await asBob('POST', '/api/elevations', { ...wanted, role: 'Administrators' })).status).toBe(403);
  expect((await asBob('POST', '/api/elevations', { ...wanted, minutes: 2 })).status).toBe(400);
  const asked = elevationSchema.parse((await asBob('POST', '/api/elevations', wanted)).body);
  expect(asked).toMatchObject({ state: 'asked', mayDecide: false });
  expect((await asBob('POST', `/api/elevations/${asked.id}/grant`)).status).toBe(403);
  expect(elevationListSchema.parse((await asAda('GET', '/api/elevations')).body)).toMatchObject({
    elevations: [{ id: asked.id, person: { email: 'bob@example.test' }, mayDecide: true }],
  });
  const granted = elevationSchema.parse((await asAda('POST', `/api/elevations/${asked.id}/grant`)).body);
  expect(granted).toMatchObject({ state: 'active', decidedBy: { email: 'ada@example.test' } });
  await allKnow();
  expect(await customers()).toBe(200);

  // The same documents say why.
  const source = await createSqlDataSource(shop.databaseUri)();
  onTestFinished(() => source.close());
  const model = compileModel([source], []);
  const documents = createPermissionDocuments(client, systemClock);
  const explained = await explainPermissions(model, documents.fresh, {
    user: 'bob@example.test',
    collection: 'customers',
  });
  const text = renderExplainedPermissions(
    explained,
    createTerminal(processEnvironment, { isJson: false, hasColor: false }),
  );
  expect(text).toContain('role Support: given by an administrator');
  expect(text).toMatch(/role Root: an elevation, until \d{4}-/);
  expect(text).toContain('team South: given by an administrator');

  // A role can be given back before its time.
  const ended = await asBob('DELETE', `/api/elevations/${asked.id}`);
  expect(elevationSchema.parse(ended.body)).toMatchObject({ state: 'ended' });
  await allKnow();
  expect(await customers()).toBe(403);

  // It ends by the clock of the agent, with the same token, although the platform counts on it still.
  behindMs = 58_000;
  const again = elevationSchema.parse((await asBob('POST', '/api/elevations', wanted)).body);
  expect((await asAda('POST', `/api/elevations/${again.id}/grant`)).status).toBe(200);
  await allKnow();
  await eventually(async () => expect(await customers()).toBe(403));
  expect(elevationListSchema.parse((await asBob('GET', '/api/elevations')).body).elevations).toMatchObject([
    { id: again.id, state: 'active' },
    { id: asked.id, state: 'ended' },
  ]);
});
