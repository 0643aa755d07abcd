import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { AgentCode } from '#contracts/agent-codes';
import { sha256Hex } from '#node/system/digest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { consoleBrowserOf, openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const codeVerifier = 'v'.repeat(43);
const codeChallenge = Buffer.from(sha256Hex(codeVerifier), 'hex').toString('base64url');

async function startWithBob(options: Parameters<typeof startTeamPlatform>[0] = {}) {
  const platform = await startTeamPlatform(options);
  const bobId = await platform.join('bob@example.test', { level: 'user' });
  const browser = await consoleBrowserOf(platform, 'bob@example.test');
  const make = async () =>
    (await (await browser.ask('POST', '/api/agent-codes', { codeChallenge })).json()) as AgentCode;
  return { platform, bobId, browser, make };
}

/** What the platform says to an agent of an environment. */
function redeem({ url, envSecret }: Pick<TeamPlatform, 'url' | 'envSecret'>, body: object, secret = envSecret) {
  return fetch(`${url}/agent/v1/exchanged-code`, {
    method: 'POST',
    headers: { 'service-secret-key': secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('a one-time code for an agent', () => {
  it('says who comes, once', async () => {
    const { platform, bobId, make } = await startWithBob();
    const { code, environment, renderingId } = await make();
    expect([environment, renderingId]).toEqual(['development', expect.any(Number)]);
    const answers = await Promise.all([1, 2].map(() => redeem(platform, { code, codeVerifier })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const told: unknown = await answers.find(({ status }) => status === 200)?.json();
    expect(told).toEqual({
      person: expect.objectContaining({ id: bobId, email: 'bob@example.test', permissionLevel: 'user', renderingId }),
      expiresAt: expect.any(Number),
    });
    expect(JSON.stringify(told)).not.toContain('clientAddress');
  });

  it('is worth nothing with another verifier, for another environment, and after a minute', async () => {
    const time = createManualTime();
    const { platform, make } = await startWithBob({ clock: time.clock });
    const other = await platform.call('POST', '/api/environments', { name: 'staging', type: 'development' });
    const { secret } = other.body as { secret: string };
    expect((await redeem(platform, { code: (await make()).code, codeVerifier: 'w'.repeat(43) })).status).toBe(404);
    expect((await redeem(platform, { code: (await make()).code, codeVerifier }, secret)).status).toBe(404);
    const { code } = await make();
    time.pass(60_000);
    expect((await redeem(platform, { code, codeVerifier })).status).toBe(404);
    const last = await make();
    time.pass(59_999);
    expect((await redeem(platform, { code: last.code, codeVerifier })).status).toBe(200);
    expect((await redeem(platform, { code: 'a'.repeat(64), codeVerifier: 'short' })).status).toBe(400);
  });

  it('ends with the session, with the membership, and with the team that it was made for', async () => {
    const { platform, bobId, browser, make } = await startWithBob();
    const signedOut = await make();
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204);
    expect((await redeem(platform, { code: signedOut.code, codeVerifier })).status).toBe(404);
    await signInToConsole(browser, platform, { email: 'bob@example.test', password: 'correct horse battery' });
    const moved = await make();
    await platform.call('POST', '/api/teams', { name: 'Support' });
    await platform.call('PATCH', `/api/people/${bobId}`, { team: 'Support' });
    expect((await redeem(platform, { code: moved.code, codeVerifier })).status).toBe(404);
    const deactivated = await make();
    await platform.call('PATCH', `/api/people/${bobId}`, { isActive: false });
    expect((await redeem(platform, { code: deactivated.code, codeVerifier })).status).toBe(404);
  });

  it('is made in a browser, and by no token', async () => {
    const { platform, browser } = await startWithBob();
    expect((await platform.call('POST', '/api/agent-codes', { codeChallenge })).status).toBe(403);
    expect((await platform.call('POST', '/api/agent-codes', { codeChallenge }, null)).status).toBe(401);
    expect((await browser.ask('POST', '/api/agent-codes', { codeChallenge: 'plain' })).status).toBe(400);
  });

  it('is exchanged at the agent for a token of its own, which reads the data', async () => {
    const shop = await createEmbeddedShop();
    shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
    await shop.agent.start();
    const agent = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
    const browser = openConsoleBrowser(shop.sandbox);
    await signInToConsole(browser, shop.sandbox, { token: shop.access.userToken });
    const made = (await (await browser.ask('POST', '/api/agent-codes', { codeChallenge })).json()) as AgentCode;
    const exchange = (body: object) =>
      fetch(`${agent}/authentication/exchange`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await exchange({ code: made.code })).status).toBe(400);
    const answer = await exchange({ code: made.code, codeVerifier });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { token, expiresAt } = (await answer.json()) as { token: string; expiresAt: string };
    expect(decodeJwt(token)).toMatchObject({ email: 'ada@example.test', exp: Date.parse(expiresAt) / 1000 });
    const orders = await fetch(`${agent}/orders?timezone=UTC`, { headers: { authorization: `Bearer ${token}` } });
    expect(orders.status).toBe(200);
    const again = await exchange({ code: made.code, codeVerifier });
    // The token of a page ends with the session of the browser, and not with that of another one.
    const reads = async () =>
      (await fetch(`${agent}/orders?timezone=UTC`, { headers: { authorization: `Bearer ${token}` } })).status;
    const beside = openConsoleBrowser(shop.sandbox);
    await signInToConsole(beside, shop.sandbox, { token: shop.access.userToken });
    expect((await beside.ask('POST', '/console/sign-out')).status).toBe(204);
    expect(await reads()).toBe(200);
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204);
    await expect.poll(reads).toBe(401);
    expect([again.status, await again.text()]).toEqual([401, expect.stringContaining('was used')]);
  });
});
