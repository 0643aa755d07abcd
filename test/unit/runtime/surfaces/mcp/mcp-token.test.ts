import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { identity } from '../../../../helpers/shop-agent.ts';

const url = 'http://127.0.0.1:3931/mcp';
const startMs = Date.UTC(2030, 0, 1);
const clockAt = (nowMs: number) => ({ now: () => nowMs, monotonicMs: () => 0 });
const tokensAt = (nowMs = startMs, secret = 'secret') =>
  createMcpTokens(secret, clockAt(nowMs), systemRandom, () => false);

describe('tokens of the MCP server', () => {
  it('say who they were issued for and what they allow, for one hour', async () => {
    const token = await tokensAt().issue(identity, url, ['mcp:read']);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(await tokensAt().verify(token, url)).toEqual({
      caller: { ...identity, client: { id: '', name: '' } },
      scopes: ['mcp:read'],
      clientId: '',
      expiresAt: startMs / 1000 + 3600,
    });
    expect(await tokensAt(startMs + 3_600_000).verify(token, url)).toBeUndefined();
  });

  it('are good for one server only', async () => {
    const token = await tokensAt().issue(identity, url, ['mcp:read']);
    expect(await tokensAt().verify(token, `${url}/`)).toBeUndefined();
    expect(await tokensAt(startMs, 'another').verify(token, url)).toBeUndefined();
  });

  it('and those of the REST API do not open one another', async () => {
    const sessions = createSessionTokens('secret', clockAt(startMs), () => false);
    expect(await tokensAt().verify(await sessions.issue(identity), url)).toBeUndefined();
    const token = await tokensAt().issue(identity, url, ['mcp:read']);
    await expect(sessions.verify(token)).rejects.toMatchObject({ code: 'REQUEST_UNAUTHENTICATED' });
  });
});
