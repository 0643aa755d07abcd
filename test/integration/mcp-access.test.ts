import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { mcpTokenKey } from '#runtime/surfaces/mcp/mcp-token';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import {
  authorize,
  authSecret,
  codeForm,
  connectClient,
  refreshForm,
  registerClient,
  requestToken,
  startMcpServer,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';
import { identity } from '../helpers/shop-agent.ts';

const platform = useMcpPlatform();

async function ownApi(method: string, path: string, body?: object) {
  const { sandbox, access } = platform();
  const answer = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${access.userToken}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect([answer.ok, answer.ok ? '' : await answer.text()]).toEqual([true, '']);
}

describe('an access token', () => {
  it('opens the endpoint that it was made for, and nothing else (row 38, 39)', async () => {
    const server = await startMcpServer(platform());
    const { accessToken, refreshToken } = await connectClient(server);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    for (const other of [server.place.origin, `${server.resource}/`, `${server.issuer}/ai/mcp`])
      expect(await server.tokens.verify(accessToken, other)).toBeUndefined();
    expect(await server.tokens.verify(refreshToken, server.resource)).toBeUndefined();
    const sessions = createSessionTokens(authSecret, systemClock, () => false);
    await expect(sessions.verify(accessToken)).rejects.toMatchObject({ code: 'REQUEST_UNAUTHENTICATED' });
    expect(await server.tokens.verify(await sessions.issue(identity), server.resource)).toBeUndefined();
  });

  it.each([
    ['with another issuer', { iss: 'https://other.example' }],
    ['with another audience', { aud: 'https://other.example/mcp' }],
    ['without an audience', { aud: undefined }],
    ['that has expired', { exp: 1 }],
    ['without an end', { exp: undefined }],
    ['with an end in years', { exp: Math.floor(Date.now() / 1000) + 10 ** 8 }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + 60 }],
    ['of nobody', { id: undefined }],
  ])('%s is refused (row 36, 38)', async (_what, changes) => {
    const server = await startMcpServer(platform());
    const now = Math.floor(Date.now() / 1000);
    const sign = (claims: object) =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(mcpTokenKey(authSecret));
    const good = { ...identity, iss: server.issuer, aud: server.resource, iat: now, exp: now + 60, scope: 'mcp:read' };
    expect(await server.tokens.verify(await sign(good), server.resource)).toMatchObject({ scopes: ['mcp:read'] });
    expect(await server.tokens.verify(await sign({ ...good, ...changes }), server.resource)).toBeUndefined();
  });

  it('is refused where its algorithm, its type or its key is another one (row 37)', async () => {
    const server = await startMcpServer(platform());
    const key = mcpTokenKey(authSecret);
    const sign = (header: { alg: string; typ: string; kid?: string }, by: Uint8Array) =>
      new SignJWT({ ...identity, aud: server.resource })
        .setProtectedHeader(header)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(by);
    const good = { alg: 'HS256', typ: 'at+jwt' };
    const [header = '', claims = ''] = (await sign(good, key)).split('.');
    const jwk = Buffer.from(JSON.stringify({ ...good, jwk: { kty: 'oct', k: 'AA' } })).toString('base64url');
    const none = Buffer.from(JSON.stringify({ ...good, alg: 'none' })).toString('base64url');
    const refused = [
      await sign({ ...good, alg: 'HS512' }, Buffer.concat([key, key])),
      await sign({ ...good, typ: 'JWT' }, key),
      await sign({ ...good, kid: '../../etc/passwd' }, Buffer.alloc(32)),
      `${header}.${claims}.`,
      `${none}.${claims}.`,
      `${jwk}.${claims}.AAAA`,
    ];
    expect(await server.tokens.verify(await sign(good, key), server.resource)).toBeDefined();
    for (const token of refused) expect(await server.tokens.verify(token, server.resource)).toBeUndefined();
  });
});

describe('the access of a client (row 40)', () => {
  it('is that of the person now, at each refresh', async () => {
    const server = await startMcpServer(platform());
    const { client, refreshToken } = await connectClient(server);
    const document = { roles: { support: { collections: {} } }, people: { 'ada@example.test': { role: 'support' } } };
    await ownApi('PUT', '/api/rights', { document, base: 0, allowLockout: true });
    const { accessToken } = await requestToken(server, refreshForm(client, refreshToken));
    const claims = await server.tokens.verify(accessToken, server.resource);
    expect(claims?.caller.role).toBe('support');
  });

  it('ends with the sessions of the person', async () => {
    const server = await startMcpServer(platform());
    const { client, accessToken, refreshToken } = await connectClient(server);
    const code = await authorize(server, client);
    await ownApi('DELETE', `/api/sessions?person=${platform().access.userId}`);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
    expect((await requestToken(server, refreshForm(client, refreshToken))).body['error']).toBe('invalid_grant');
    expect((await requestToken(server, codeForm(client, code))).body['error']).toBe('invalid_grant');
    expect((await registerClient(server)).id).toBeDefined();
  });
});
