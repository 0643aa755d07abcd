import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { createSealedTexts } from '#node/system/secrets';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createSignInKeyring } from '#platform/provider/provider-keys';
import { startSandbox } from '#sandbox/index';
import { createSqlDataSource } from '../../../src/exports/agent.ts';
import { adminLog } from '../../helpers/admin-log.ts';
import { createBrowser } from '../../helpers/browser.ts';
import { createEmbeddedShop } from '../../helpers/embedded-agent.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { startPublicProxy } from '../../helpers/public-proxy.ts';
import { openTestStore, postgresPlace } from '../../helpers/store-engines.ts';

const server = usePostgresServer();

it('two platforms sign somebody in together, each request at the other one', async () => {
  const store = postgresPlace(server, await server.createDatabase());
  const proxy = await startPublicProxy({ tellsHost: true });
  const platform = { store, publicUrl: proxy.url, platformKey: 'a'.repeat(64) };
  const { agent, sandbox, access, databaseUri } = await createEmbeddedShop({ serverUrl: proxy.url }, platform);
  const second = await startSandbox({
    ...platform,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  onTestFinished(() => second.stop());
  proxy.targets = [sandbox.url, second.url];
  agent.addDataSource(createSqlDataSource(databaseUri)).mountOnStandaloneServer(0);
  await agent.start();
  const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
  const isBack = (url: string) => url.startsWith(agentUrl);
  // An odd and an even number of requests before each step, so that both platforms take every part.
  for (const requestsBefore of [0, 1]) {
    for (let count = 0; count < requestsBefore; count++) await fetch(`${proxy.url}/health`);
    const browser = createBrowser();
    const begun = await browser.open(`${agentUrl}/authentication`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ renderingId: access.renderingId }),
    });
    const { authorizationUrl } = (await begun.json()) as { authorizationUrl: string };
    const page = await browser.follow(authorizationUrl, isBack);
    const posted = await browser.open(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: proxy.url },
      body: new URLSearchParams({ token: access.userToken }),
    });
    expect(posted.status).toBe(303);
    const callback = await browser.follow(new URL(posted.headers.get('location') ?? '', page.url).href, isBack);
    const answer = await browser.open(callback.url);
    expect([answer.status, await answer.json()]).toMatchObject([200, { tokenData: { email: 'ada@example.test' } }]);
  }
});

it('processes that need keys at the same time get the same ones', async () => {
  const place = postgresPlace(server, await server.createDatabase());
  const stores = await Promise.all([openTestStore(place), openTestStore(place)]);
  const sealed = createSealedTexts('a'.repeat(64), 'keys of the sign-in');
  const keyrings = stores.map((store) =>
    createSignInKeyring({ store, sealed, adminLog, clock: systemClock, random: systemRandom }),
  );
  const [one, other] = await Promise.all(keyrings.map((keyring) => keyring.current()));
  expect(one).toEqual(other);
  expect(one?.signingKeys).toMatchObject([{ kty: 'RSA', alg: 'RS256' }]);
});
