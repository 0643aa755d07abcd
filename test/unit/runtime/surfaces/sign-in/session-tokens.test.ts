import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';

const claims = {
  id: 7,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Ops',
  role: 'Ops',
  permissionLevel: 'admin' as const,
  renderingId: 3,
  tags: { country: 'FR' },
};
const secret = 'a secret';
const startMs = Date.UTC(2030, 0, 1);

function tokensAt(nowMs = startMs, key = secret) {
  return createSessionTokens(key, { now: () => nowMs, monotonicMs: () => 0 }, () => false);
}

const sign = (payload: Record<string, unknown>, alg = 'HS256', expiresAt: number | null = startMs / 1000 + 60) => {
  const token = new SignJWT(payload).setProtectedHeader({ alg }).setIssuedAt(startMs / 1000);
  return (expiresAt === null ? token : token.setExpirationTime(expiresAt)).sign(new TextEncoder().encode(secret));
};

const refused = { code: 'REQUEST_UNAUTHENTICATED' };

describe('session tokens', () => {
  it('say who they were issued for, for one hour', async () => {
    const token = await tokensAt().issue(claims);
    expect(await tokensAt().verify(token)).toEqual(claims);
    expect(await tokensAt(startMs + 3_599_000).verify(token)).toEqual(claims);
    await expect(tokensAt(startMs + 3_600_000).verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts tokens without tags and with claims it does not know', async () => {
    const { tags: _tags, ...rest } = claims;
    expect(await tokensAt().verify(await sign({ ...rest, rendering_id: 3 }))).toEqual({ ...rest, tags: {} });
  });

  it('has an end, and is written in one way', async () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64url');
    const tokenWith = (exp: string) => {
      const signed = `${encoded('{"alg":"HS256"}')}.${encoded(`${JSON.stringify(claims).slice(0, -1)},"exp":${exp}}`)}`;
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    };
    const token = tokenWith(String(startMs / 1000 + 60));
    expect(await tokensAt().verify(token)).toEqual(claims);
    for (const other of [tokenWith('1e999'), `${token}=`, `${token}\n`]) {
      await expect(tokensAt().verify(other)).rejects.toMatchObject(refused);
    }
  });

  it('end with sessions that were ended while the claims were asked for', async () => {
    let nowMs = startMs;
    const endedAt = startMs / 1000 + 1;
    const clock = { now: () => nowMs, monotonicMs: () => 0 };
    const tokens = createSessionTokens(secret, clock, (id, issuedAt) => id === 7 && issuedAt <= endedAt);
    const { promise, resolve } = Promise.withResolvers<typeof claims>();
    const slow = tokens.issue(promise);
    nowMs += 2_000;
    resolve(claims);
    await expect(tokens.verify(await slow)).rejects.toMatchObject(refused);
    expect(await tokens.verify(await tokens.issue(claims))).toEqual(claims);
  });

  it.each([
    ['another secret', () => tokensAt(startMs, 'another').issue(claims)],
    ['another algorithm of the same family', () => sign(claims, 'HS512')],
    ['an audience', () => sign({ ...claims, aud: 'http://127.0.0.1/mcp' })],
    ['no expiry', () => sign(claims, 'HS256', null)],
    ['a claim of the wrong type', () => sign({ ...claims, id: '7' })],
    ['no signature', async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`],
    ['no structure', async () => 'nonsense'],
  ])('refuses a token with %s', async (_case, make) => {
    await expect(tokensAt().verify(await make())).rejects.toMatchObject(refused);
  });
});
