import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop, envSecret } from '../helpers/embedded-agent.ts';
import { eventually } from '../helpers/eventually.ts';

/** An agent, its platform with the administrator Ada, and Bob, who is signed in to the agent. */
async function startShop() {
  const shop = await createEmbeddedShop();
  const { sandbox, access, newAgent } = shop;
  const start = async (agent = shop.agent) => {
    agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
    await agent.start();
    return `http://127.0.0.1:${agent.standaloneServerPort}/service`;
  };
  const user = { name: 'Bob', email: 'bob@example.test' };
  const bob = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  const tokenOf = ({ userId, renderingId, team, role }: typeof bob, issuedAt = Date.now()) =>
    createSessionTokens(shop.authSecret, { ...systemClock, now: () => issuedAt }, () => false).issue({
      ...{ id: userId, renderingId, team, role, email: '', firstName: '', lastName: '', tags: {} },
      permissionLevel: 'admin',
    });
  const api = (method: string, path: string, body?: object, token = access.userToken) =>
    fetch(`${sandbox.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const { userToken } = access;
  const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { userToken } });
  const allKnow = () =>
    eventually(async () => expect((await client.agents()).agents.map(({ lag }) => lag)).toEqual([0]), { interval: 5 });
  const url = await start();
  await allKnow();
  const list = async (token: string, agentUrl = url) =>
    (await fetch(`${agentUrl}/orders?timezone=UTC`, { headers: { authorization: `Bearer ${token}` } })).status;
  return { agent: shop.agent, start, newAgent, access, bob, tokenOf, api, allKnow, list };
}

describe('the sessions of a person at an agent', () => {
  it.each([
    ['the person is deactivated', 'PATCH', (id: number) => `/api/people/${id}`, { isActive: false }],
    ['an administrator ends them', 'DELETE', (id: number) => `/api/sessions?person=${id}`, undefined],
    ['the person is given another team', 'PATCH', (id: number) => `/api/people/${id}`, { team: 'Support' }],
  ] as const)('end as soon as the agent hears that %s', async (_what, method, path, body) => {
    const { access, bob, tokenOf, api, allKnow, list } = await startShop();
    const document = { roles: { Administrators: { collections: { '*': { browse: true } } } } };
    await api('PUT', '/api/rights', { document: { ...document, teams: { Support: {}, Operations: {} } }, base: 0 });
    await allKnow();
    const [token, other] = await Promise.all([tokenOf(bob), tokenOf(access)]);
    expect(await list(token)).toBe(200);
    const answer = await api(method, path(bob.userId), body);
    expect(answer.ok).toBe(true);
    await allKnow();
    expect(await list(token)).toBe(401);
    expect(await list(other)).toBe(200);
  });

  it('begin again for a person who is still a member', async () => {
    const { bob, tokenOf, api, allKnow, list } = await startShop();
    const before = Date.now();
    await api('DELETE', `/api/sessions?person=${bob.userId}`);
    await allKnow();
    expect(await list(await tokenOf(bob, before))).toBe(401);
    expect(await list(await tokenOf(bob, Date.now() + 2_000))).toBe(200);
  });

  it('are not good again at an agent that was stopped meanwhile', async () => {
    const { agent, newAgent, start, bob, tokenOf, api, list } = await startShop();
    const token = await tokenOf(bob);
    await agent.stop();
    await api('DELETE', `/api/sessions?person=${bob.userId}`);
    expect(await list(token, await start(newAgent()))).toBe(401);
  });

  it('go on when one token for the API is revoked', async () => {
    const { bob, tokenOf, api, allKnow, list } = await startShop();
    const token = await tokenOf(bob);
    expect((await api('DELETE', '/api/sessions/current', undefined, bob.userToken)).status).toBe(204);
    await allKnow();
    expect(await list(token)).toBe(200);
  });
});
