import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { createBrowser } from '../helpers/browser.ts';
import {
  answerConsent,
  authorizationUrl,
  authorize,
  codeForm,
  connectClient,
  openConsent,
  refreshForm,
  registerClient,
  requestToken,
  scopesOn,
  shownAt,
  startMcpServer,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';

const platform = useMcpPlatform();
const start = (options?: Parameters<typeof startMcpServer>[1]) => startMcpServer(platform(), options);

describe('the metadata of the authorization server', () => {
  it.each(['', '/ai'])('name the same issuer everywhere below the base path "%s"', async (basePath) => {
    const { place, issuer, resource } = await start({ basePath });
    const read = async (path: string) => (await fetch(place.origin + path)).json();
    expect(await read(`/.well-known/oauth-authorization-server${basePath}`)).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: false,
    });
    expect(await read(`/.well-known/oauth-protected-resource${basePath}/mcp`)).toEqual({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['mcp:read', 'mcp:write', 'mcp:delete', 'mcp:action'],
      bearer_methods_supported: ['header'],
    });
  });

  it('are open to programs in web pages, and to reading only', async () => {
    const { place } = await start();
    const url = `${place.origin}/.well-known/oauth-authorization-server`;
    expect((await fetch(url)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204);
    const refused = await fetch(url, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the routes of the authorization server', () => {
  it('answer 404 for other paths and 405 for other methods', async () => {
    const { place } = await start({ basePath: '/ai' });
    const status = async (path: string, method = 'GET') => (await fetch(place.origin + path, { method })).status;
    for (const path of ['/ai/oauth/', '/ai/oauth/jwks', '/ai/oauth/token/x', '/oauth/token', '/ai/oauth/%61uthorize'])
      expect([path, await status(path)]).toEqual([path, 404]);
    expect(await status('/.well-known/openid-configuration')).toBe(404);
    for (const path of ['token', 'register', 'revoke']) expect(await status(`/ai/oauth/${path}`)).toBe(405);
    expect(await status('/ai/oauth/authorize', 'DELETE')).toBe(405);
  });
});

describe('connecting a client', () => {
  it.each(['', '/ai'])('leads over the platform to tokens, below the base path "%s"', async (basePath) => {
    const server = await start({ basePath });
    const { answer, client, body, accessToken } = await connectClient(server);
    expect(answer.href).toContain(`${client.redirectUri}?code=`);
    expect(answer.searchParams.get('state')).toBe('a state');
    expect(answer.searchParams.get('iss')).toBe(server.issuer);
    expect(body).toMatchObject({ expires_in: 1800, scope: 'mcp:read mcp:write', refresh_token: expect.any(String) });
    expect(decodeProtectedHeader(accessToken)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    expect(decodeJwt(accessToken)).toMatchObject({
      iss: server.issuer,
      aud: server.resource,
      client_id: client.id,
      sub: String(platform().access.userId),
      jti: expect.any(String),
      scope: 'mcp:read mcp:write',
    });
    expect(await server.tokens.verify(accessToken, server.resource)).toMatchObject({
      caller: { email: 'ada@example.test', renderingId: platform().access.renderingId, team: 'Operations' },
      scopes: ['mcp:read', 'mcp:write'],
    });
  });

  it.each([0, 1])('works with several agents behind one address, the first request at agent %i', async (skipped) => {
    const server = await start({ agents: 2 });
    for (let count = 0; count < skipped; count++) await fetch(server.issuer);
    const { client, accessToken, refreshToken } = await connectClient(server);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    expect((await requestToken(server, refreshForm(client, refreshToken))).status).toBe(200);
  });

  it('outlives a restart of the agent', async () => {
    const server = await start();
    const { client, accessToken, refreshToken } = await connectClient(server);
    server.restart();
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    expect((await requestToken(server, refreshForm(client, refreshToken))).status).toBe(200);
  });

  it('takes an authorization request as a form', async () => {
    const server = await start();
    const client = await registerClient(server);
    const [url = '', query = ''] = authorizationUrl(server, client).split('?');
    const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(query), redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/oauth\/consent\//),
    ]);
  });

  it('gives a new pair of tokens for a refresh token', async () => {
    const server = await start();
    const { client, refreshToken } = await connectClient(server);
    const next = await requestToken(server, refreshForm(client, refreshToken, { resource: server.resource }));
    expect([next.status, next.body]).toMatchObject([200, { scope: 'mcp:read mcp:write' }]);
    expect(next.refreshToken).not.toBe(refreshToken);
    expect(await server.tokens.verify(next.accessToken, server.resource)).toMatchObject({ caller: { lastName: '' } });
    const narrow = await requestToken(server, refreshForm(client, next.refreshToken, { scope: 'mcp:read' }));
    expect([narrow.status, narrow.body]).toMatchObject([200, { scope: 'mcp:read' }]);
  });

  it('ends at the client with an error when the person denies it', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, server.platform, authorizationUrl(server, client));
    const answer = await answerConsent(browser, page, 'deny');
    expect(Object.fromEntries(answer.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The person has denied it.',
      state: 'a state',
      iss: server.issuer,
    });
  });

  it('gives the scopes that the person has chosen', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, server.platform, authorizationUrl(server, client));
    const answer = await answerConsent(browser, page, 'allow', ['mcp:read', 'mcp:action']);
    expect((await requestToken(server, codeForm(client, answer))).body).toMatchObject({ scope: 'mcp:read' });
  });

  it('leaves no session in the browser', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    await answerConsent(browser, await openConsent(browser, server.platform, authorizationUrl(server, client)));
    const names = browser.cookieNames();
    for (const name of ['mcp_session', 'mcp_person', 'mcp_resume']) expect(names).not.toContain(name);
  });

  it('passes over the parameters of OpenID Connect', async () => {
    const server = await start();
    const openId = {
      nonce: 'n',
      max_age: '0',
      prompt: 'login',
      claims: '{}',
      response_mode: 'form_post',
      id_token_hint: 'x',
      request_uri: 'urn:x',
    };
    const answer = await authorize(server, await registerClient(server), openId);
    expect(answer.searchParams.has('code')).toBe(true);
  });

  it.each([
    [{ prompt: 'none' }, 'consent_required'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
  ])('is refused for %j', async (changes, error) => {
    const server = await start();
    const url = authorizationUrl(server, await registerClient(server), changes);
    const refused = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' } });
    expect([refused.status, refused.headers.get('location')]).toEqual([
      303,
      expect.stringContaining(`error=${error}&`),
    ]);
  });

  it('asks for reading alone when the client names no scope', async () => {
    const server = await start();
    const client = await registerClient(server);
    const url = authorizationUrl(server, client, { scope: undefined });
    expect(scopesOn(await openConsent(createBrowser(), server.platform, url))).toEqual(['mcp:read']);
  });
});

describe('the answer to a client (row 20, 24, 28)', () => {
  it.each([
    ['4 kB', 'x'.repeat(4096)],
    ['unicode', 'Zustand ✓ & = #'],
  ])('has the state as it was sent: %s', async (_what, state) => {
    const server = await start();
    const answer = await authorize(server, await registerClient(server), { state });
    expect(answer.searchParams.get('state')).toBe(state);
  });

  it('has no state when none was sent', async () => {
    const server = await start();
    const answer = await authorize(server, await registerClient(server), { state: undefined });
    expect([...answer.searchParams.keys()].sort()).toEqual(['code', 'iss']);
  });

  it('keeps the query of the redirect address, on success and on an error', async () => {
    const server = await start();
    const redirectUri = 'http://127.0.0.1:41001/callback?tenant=7';
    const client = await registerClient(server, { redirect_uris: [redirectUri] });
    const success = await authorize(server, client);
    expect([success.searchParams.get('tenant'), success.searchParams.has('code')]).toEqual(['7', true]);
    const refused = await fetch(authorizationUrl(server, client, { code_challenge: undefined }), {
      redirect: 'manual',
    });
    const { searchParams } = new URL(refused.headers.get('location') ?? '');
    expect(Object.fromEntries(searchParams)).toMatchObject({
      tenant: '7',
      error: 'invalid_request',
      state: 'a state',
      iss: server.issuer,
    });
  });
});

describe('the resource of a request (row 26)', () => {
  it.each([
    ['the endpoint', (origin: string) => `${origin}/ai/mcp`],
    ['the endpoint with a slash', (origin: string) => `${origin}/ai/mcp/`],
    ['the issuer', (origin: string) => `${origin}/ai`],
    ['the origin', (origin: string) => origin],
    ['the origin with a slash', (origin: string) => `${origin}/`],
    ['nothing', () => undefined],
    ['the same twice', (origin: string) => [`${origin}/ai/mcp`, `${origin}/`]],
  ])('may be %s', async (_what, resourceOf) => {
    const server = await start({ basePath: '/ai' });
    const resource = resourceOf(server.place.origin);
    const { accessToken } = await connectClient(server, { resource });
    expect(decodeJwt(accessToken).aud).toBe(server.resource);
  });

  it('is refused when it is another server, at the authorization and at the token', async () => {
    const server = await start();
    const client = await registerClient(server);
    const foreign = 'https://other.example/mcp';
    const url = authorizationUrl(server, client, { resource: [server.resource, foreign] });
    const refused = await fetch(url, { redirect: 'manual' });
    expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_target');
    const answer = await authorize(server, client);
    const token = await requestToken(server, codeForm(client, answer, { resource: foreign }));
    expect([token.status, token.body['error']]).toEqual([400, 'invalid_target']);
  });
});

describe('the consent page (row 30)', () => {
  it('can be framed by nobody, runs no script, and names the client and where the answer goes', async () => {
    const server = await start();
    const client = await registerClient(server, { client_name: '<b>Evil</b>\u202e' });
    const { headers, html } = await openConsent(createBrowser(), server.platform, authorizationUrl(server, client));
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';.*frame-ancestors 'none'/);
    expect(policy).not.toContain('script-src');
    expect(policy).toContain("form-action 'self' http://127.0.0.1:41001");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(html).toContain('calls itself <b>&#60;b&#62;Evil&#60;/b&#62;</b>');
    expect(html).toContain('a program on this computer (127.0.0.1)');
    expect(html).toContain('Any program on this computer can call itself so.');
    expect(html).toContain('ada@example.test');
    expect(html).not.toContain('<script');
  });

  it('takes an answer from its own browser, its own form and its own origin only', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, server.platform, authorizationUrl(server, client));
    const token = /name="token" value="([^"]*)"/.exec(page.html)?.[1] ?? '';
    const send = async (by: typeof browser, form: Record<string, string>, origin = server.place.origin) =>
      (await by.open(page.url, { method: 'POST', headers: { origin }, body: new URLSearchParams(form) })).status;
    const allow = { answer: 'allow', scope: 'mcp:read' };
    expect(await send(createBrowser(), { ...allow, token })).toBe(400);
    expect(await send(browser, allow)).toBe(403);
    expect(await send(browser, { ...allow, token: 'x'.repeat(token.length) })).toBe(403);
    expect(await send(browser, { ...allow, token }, 'https://evil.example')).toBe(403);
    expect(await send(browser, { answer: 'allow', token })).toBe(422);
    expect(await send(browser, { ...allow, token })).toBe(303);
  });

  it('asks again for each authorization, of the same client too', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    const first = await openConsent(browser, server.platform, authorizationUrl(server, client));
    await answerConsent(browser, first);
    // The platform remembers who it is; the server asks all the same.
    for (const next of [client, await registerClient(server)]) {
      const again = await browser.follow(authorizationUrl(server, next), () => false);
      expect(await again.response?.text()).toContain('name="answer"');
    }
  });

  it('can be answered once', async () => {
    const server = await start();
    const client = await registerClient(server);
    const browser = createBrowser();
    const page = await openConsent(browser, server.platform, authorizationUrl(server, client));
    await answerConsent(browser, page);
    expect((await browser.open(page.url)).status).toBe(400);
  });

  it('is one for each of two authorizations in the same browser', async () => {
    const server = await start();
    const clients = [await registerClient(server), await registerClient(server)];
    const browser = createBrowser();
    const [one, other] = clients.map((client) => authorizationUrl(server, client));
    const first = await openConsent(browser, server.platform, one ?? '');
    const second = await shownAt(browser, other ?? '');
    for (const page of [first, second])
      expect((await answerConsent(browser, page)).searchParams.has('code')).toBe(true);
  });

  it('is reached by nobody with the sign-in of another browser', async () => {
    const server = await start();
    const client = await registerClient(server);
    const [victim, attacker] = [createBrowser(), createBrowser()];
    const begun = await attacker.follow(authorizationUrl(server, client), (url) => !url.startsWith(server.issuer));
    const page = await victim.follow(begun.url, () => false);
    const form = new URLSearchParams({ token: platform().access.userToken });
    const posted = await victim.open(page.url, {
      method: 'POST',
      headers: { origin: new URL(page.url).origin },
      body: form,
    });
    const next = new URL(posted.headers.get('location') ?? '', page.url).href;
    const { response } = await victim.follow(next, () => false);
    expect([response?.status, await response?.text()]).toEqual([
      400,
      expect.stringContaining('not begun in this browser'),
    ]);
  });
});
