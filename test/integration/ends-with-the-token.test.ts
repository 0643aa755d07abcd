import path from 'node:path';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { startSandbox } from '#sandbox/index';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { postForm } from '../helpers/device-approval.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import {
  codeForm,
  connectClient,
  envSecret as mcpEnvSecret,
  refreshForm,
  requestToken,
  startMcpServer,
} from '../helpers/mcp-authorization.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const storeIn = async () =>
  ({ dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') }) as const;

/** Let the tokens of a platform end in ten minutes; when, in seconds since the epoch. */
async function endSoon({ storage }: { readonly storage: string }): Promise<number> {
  const endsAt = Math.floor(Date.now() / 1000) + 600;
  const connection = await openSqlite(storage);
  connection.run('update tokens set expires_at = ?', [endsAt * 1000]);
  connection.close();
  return endsAt;
}

async function startShop() {
  const store = await storeIn();
  const shop = await createEmbeddedShop({}, { store });
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
  await shop.agent.start();
  const agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
  return { ...shop, agentUrl, endsAt: await endSoon(store) };
}

/** The authorization server of an agent, for whose people a token is the way in. */
async function startMcp() {
  const store = await storeIn();
  const sandbox = await startSandbox({
    store,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    platformKey: systemRandom.hex(32),
  });
  onTestFinished(() => sandbox.stop());
  const user = { name: 'Ada', email: 'ada@example.test' };
  const access = await sandbox.provisionDevelopment({ project: 'shop', envSecret: mcpEnvSecret, user });
  const server = await startMcpServer({ sandbox, access, pass: () => undefined });
  return { sandbox, access, server, endsAt: await endSoon(store) };
}

type Shop = Awaited<ReturnType<typeof startShop>>;

/** Signs in at the agent with the token of the developer; the token of the agent. */
async function signIn(browser: Browser, { agentUrl, access }: Shop): Promise<string> {
  const begun = await browser.open(`${agentUrl}/authentication`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ renderingId: access.renderingId }),
  });
  const { authorizationUrl } = (await begun.json()) as { authorizationUrl: string };
  const isBack = (url: string) => url.startsWith(agentUrl);
  const page = await browser.follow(authorizationUrl, isBack);
  const posted = await postForm(browser, page.url, { token: access.userToken });
  const { url } = await browser.follow(new URL(posted.headers.get('location') ?? '', page.url).href, isBack);
  return ((await (await browser.open(url)).json()) as { token: string }).token;
}

describe('somebody who signed in with a token', () => {
  it('has a session with the agent that ends with the token', async () => {
    const shop = await startShop();
    expect(decodeJwt(await signIn(createBrowser(), shop)).exp).toBe(shop.endsAt);
  });

  it('lets MCP clients in until the token ends, and no longer', async () => {
    const { server, access, sandbox, endsAt } = await startMcp();
    const { body, accessToken, refreshToken, client } = await connectClient(server);
    expect(decodeJwt(accessToken).exp).toBeLessThanOrEqual(endsAt);
    expect(body['expires_in']).toBeLessThanOrEqual(600);
    const again = await requestToken(server, refreshForm(client, refreshToken));
    expect(again.status).toBe(200);
    expect(decodeJwt(again.accessToken).exp).toBeLessThanOrEqual(endsAt);
    const listed = await fetch(`${sandbox.url}/api/mcp-clients`, {
      headers: { authorization: `Bearer ${access.userToken}` },
    });
    const { clients } = (await listed.json()) as { clients: { expiresAt: string }[] };
    expect(clients.map(({ expiresAt }) => Date.parse(expiresAt) <= (endsAt + 1) * 1000)).toEqual([true]);
  });

  it('takes MCP clients along when the token is revoked', async () => {
    const { server, access, sandbox } = await startMcp();
    const { client, refreshToken, answer, accessToken } = await connectClient(server);
    await sandbox.revoke(access.userToken);
    expect((await requestToken(server, refreshForm(client, refreshToken))).body).toMatchObject({
      error: 'invalid_grant',
    });
    expect((await requestToken(server, codeForm(client, answer))).body).toMatchObject({ error: 'invalid_grant' });
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
  });
});
