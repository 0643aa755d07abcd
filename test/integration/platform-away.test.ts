import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { type Sandbox, startSandbox } from '#sandbox/index';
import { createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { createShopFile, identity } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const envSecret = 'b'.repeat(64);
const authSecret = 'the auth secret of an embedded agent';

async function startPlatform(port: number): Promise<Sandbox> {
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'store.sqlite') },
    port: { port, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    isForTests: true,
  });
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** An agent that keeps its files in the folder, and what it logged. */
async function startAgent(folder: string, serverUrl: string) {
  const log: string[] = [];
  const agent = createAgent({
    authSecret,
    envSecret,
    serverUrl,
    schemaPath: path.join(folder, 'schema.json'),
    logger: (level, message) => log.push(`${level} ${message}`),
  })
    .addDataSource(createSqlDataSource(await createShopFile()))
    .mountOnStandaloneServer(0);
  onTestFinished(() => agent.stop());
  await agent.start();
  const token = await createSessionTokens(authSecret, systemClock, () => false).issue(identity);
  const count = async () => {
    const response = await fetch(`http://127.0.0.1:${agent.standaloneServerPort}/service/orders/count?timezone=UTC`, {
      // From another machine, so that the rules of addresses are asked too.
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': '192.0.2.7' },
    });
    return { status: response.status, body: await response.text() };
  };
  return { agent, log, count };
}

const counted = { status: 200, body: '{"count":4}' };

/** A server that takes requests and says nothing. */
async function startSilence(): Promise<string> {
  const { origin } = await startHttpServer(() => undefined);
  return origin;
}

describe('an agent whose platform is away', () => {
  it('answers as it did before, when it starts and later, and sends its schema when the platform is back', {
    tags: 'long',
  }, async () => {
    const folder = await temporaryFolder();
    const first = await startPlatform(0);
    const port = Number(new URL(first.url).port);
    const earlier = await startAgent(folder, first.url);
    expect(await earlier.count()).toEqual(counted);
    await first.stop();
    expect(await earlier.count()).toEqual(counted);
    await earlier.agent.stop();

    const later = await startAgent(folder, first.url);
    expect(await later.count()).toEqual(counted);
    const warnings = later.log.filter((line) => line.startsWith('Warn'));
    expect(warnings).toContainEqual(expect.stringContaining('permissions are those it gave last'));
    expect(warnings).toContainEqual(expect.stringContaining('schema is sent when it does'));

    const second = await startPlatform(port);
    const collections = async () => {
      const url = `${second.url}/agent/v4/permissions/renderings/1`;
      return (await fetch(url, { headers: { 'service-secret-key': envSecret } })).text();
    };
    await fetch(`${second.url}/agent-schema`, { method: 'POST', headers: { 'service-secret-key': envSecret } });
    await expect.poll(collections).toContain('orders');
  });

  it('starts without any known permissions, and says what is wrong without naming the platform', {
    tags: 'long',
  }, async () => {
    const { count, log } = await startAgent(await temporaryFolder(), await startSilence());
    const { status, body } = await count();
    expect(status).toBeGreaterThanOrEqual(500);
    expect(body).not.toContain('127.0.0.1');
    expect(log.join()).toContain('The platform does not answer');
    expect((await count()).status).toBeGreaterThanOrEqual(500);
  });
});
