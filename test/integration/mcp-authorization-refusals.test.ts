import { describe, expect, it } from 'vitest';
import { createBrowser } from '../helpers/browser.ts';
import {
  authorizationUrl,
  authorize,
  challengeOf,
  codeForm,
  connectClient,
  openConsent,
  refreshForm,
  registerClient,
  requestToken,
  scopesOn,
  startMcpServer,
  type TestClient,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';

const platform = useMcpPlatform();
const start = (options?: Parameters<typeof startMcpServer>[1]) => startMcpServer(platform(), options);

/** The answer to an authorization request that never gets to a person: a page, or an error that goes to the client. */
async function askFor(url: string) {
  const answer = await fetch(url, { redirect: 'manual', headers: { accept: 'application/json' } });
  const location = answer.headers.get('location');
  return { status: answer.status, location, text: await answer.text() };
}

const errorOf = ({ location }: { readonly location: string | null }) =>
  new URL(location ?? '', 'http://none').searchParams.get('error');

describe('the redirect address of a request (row 18, 19)', () => {
  it.each([
    'https://evil.example/callback',
    'https://app.example/callback/more',
    'https://app.example/callback/../steal',
    'https://app.example/callback#fragment',
    'https://user@app.example/callback',
    'https://app.example/CALLBACK',
    'https://app.example:444/callback',
    'http://app.example/callback',
    'com.example.app:/callback',
    'javascript:alert(1)',
  ])('is not followed when it is not the registered one: %s', async (redirect_uri) => {
    const server = await start();
    const client = await registerClient(server, { redirect_uris: ['https://app.example/callback'] });
    const { status, location, text } = await askFor(authorizationUrl(server, client, { redirect_uri }));
    expect([status, location, JSON.parse(text)]).toMatchObject([400, null, { error: 'invalid_redirect_uri' }]);
  });

  it.each([
    ['http://localhost/callback', 'http://localhost:53123/callback', 303],
    ['http://localhost:3000/callback', 'http://localhost:53123/callback', 303],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:53123/callback', 303],
    ['http://[::1]/callback', 'http://[::1]:53123/callback', 303],
    ['http://localhost/callback', 'http://127.0.0.1:53123/callback', 400],
    ['http://localhost/callback', 'http://localhost:53123/other', 400],
    ['http://localhost/callback', 'https://localhost:53123/callback', 400],
    ['https://app.example/callback', 'https://app.example:53123/callback', 400],
  ])('registered as %s may be %s: status %i', async (registered, redirect_uri, expected) => {
    const server = await start();
    const client = await registerClient(server, { redirect_uris: [registered] });
    expect((await askFor(authorizationUrl(server, client, { redirect_uri }))).status).toBe(expected);
  });

  it('gets the code on any port of this machine', async () => {
    const server = await start();
    const registered = await registerClient(server, { redirect_uris: ['http://localhost/callback'] });
    const client: TestClient = { ...registered, redirectUri: 'http://localhost:53123/callback' };
    const answer = await authorize(server, client);
    expect(answer.origin).toBe('http://localhost:53123');
    expect((await requestToken(server, codeForm(client, answer))).status).toBe(200);
  });
});

describe('a program with an address of its own', () => {
  it.each(['com.example.app:/callback', 'com.example.my-app://answer?a=1'])(
    'is named each time, needs PKCE, and gets the code at %s',
    async (redirectUri) => {
      const server = await start();
      const client = await registerClient(server, { client_name: 'Example App', redirect_uris: [redirectUri] });
      for (const _time of ['first', 'second']) {
        const page = await openConsent(createBrowser(), platform(), authorizationUrl(server, client));
        expect(page.html).toContain('<b>Example App</b>');
        expect(page.html).toMatch(/the application for com\.example\.(?:my-)?app: addresses/);
        expect(page.html).toContain('Any program on this computer can call itself so.');
      }
      const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };
      const refused = await fetch(authorizationUrl(server, client, withoutPkce), { redirect: 'manual' });
      expect(refused.headers.get('location')).toMatch(/^com\.example\..*[?&]error=invalid_request/);
      const answer = await authorize(server, client);
      expect(answer.href.startsWith(redirectUri)).toBe(true);
      expect((await requestToken(server, codeForm(client, answer))).status).toBe(200);
    },
  );
});

describe('the registration of a client', () => {
  const register = async (issuer: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${issuer}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
  };

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://app.example/callback',
    'https://localhost/callback',
    'https://app.example/a/../b',
    'https://app.example/%2e%2e/b',
    'https://app.example/#x',
    'https://user:secret@app.example/',
    'mailto:ada@example.test',
    'example:/callback',
    'com.example.app:/a/../b',
    'com.example.app:/#x',
    '.example:/callback',
    'no address',
  ])('refuses the redirect address %s', async (uri) => {
    const { issuer } = await start();
    const [status, { error }] = await register(issuer, { redirect_uris: [uri] });
    expect([status, error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('takes public clients only, and keeps nothing else that they say', async () => {
    const { issuer } = await start();
    const redirect_uris = ['https://app.example/callback'];
    for (const token_endpoint_auth_method of ['client_secret_post', 'private_key_jwt']) {
      const [answered, registered] = await register(issuer, { redirect_uris, token_endpoint_auth_method });
      expect([answered, registered]).toMatchObject([201, { token_endpoint_auth_method: 'none' }]);
      expect(registered).not.toHaveProperty('client_secret');
    }
    expect(await register(issuer, [])).toMatchObject([400, { error: 'invalid_client_metadata' }]);
    const more = { logo_uri: 'http://169.254.169.254/logo', scope: 'mcp:admin', grant_types: ['implicit'] };
    const [status, client] = await register(issuer, { redirect_uris, client_name: 'App', ...more });
    expect(status).toBe(201);
    expect(client).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      response_types: ['code'],
      client_name: 'App',
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('is limited by address, as trusted proxies tell it (row 32)', async () => {
    const server = await start({ addressOf: ({ headers }) => String(headers['x-tested-address']) });
    const answerTo = async (address: string) => {
      const headers = {
        'content-type': 'application/json',
        'x-tested-address': address,
        'x-forwarded-for': `${Math.random()}`,
      };
      const body = JSON.stringify({ redirect_uris: ['https://app.example/callback'] });
      return fetch(`${server.issuer}/oauth/register`, { method: 'POST', headers, body });
    };
    const statuses = [];
    for (let count = 0; count < 11; count++) statuses.push((await answerTo('one')).status);
    expect(statuses).toEqual([...Array(10).fill(201), 429]);
    expect(Number((await answerTo('one')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await answerTo('other')).status).toBe(201);
  });
});

describe('proof keys (row 21, 22)', () => {
  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['no method', { code_challenge_method: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['a short challenge', { code_challenge: 'short' }],
  ])('refuse an authorization request with %s', async (_what, changes) => {
    const server = await start();
    const answer = await askFor(authorizationUrl(server, await registerClient(server), changes));
    expect(errorOf(answer)).toBe('invalid_request');
  });

  it.each([
    ['a wrong verifier', { code_verifier: 'w'.repeat(43) }],
    ['an empty verifier', { code_verifier: '' }],
    ['the challenge as the verifier', { code_verifier: challengeOf('x') }],
  ])('refuse %s, and the code is used up', async (_what, changes) => {
    const server = await start();
    const client = await registerClient(server);
    const answer = await authorize(server, client);
    const wrong = await requestToken(server, codeForm(client, answer, changes));
    expect([wrong.status, wrong.body['error']]).toEqual([400, 'invalid_grant']);
    const right = await requestToken(server, codeForm(client, answer));
    expect([right.status, right.body['error']]).toEqual([400, 'invalid_grant']);
  });
});

describe('a code (row 23)', () => {
  it('is good once: a second use ends all that the first one brought', async () => {
    const server = await start();
    const { client, answer, accessToken, refreshToken } = await connectClient(server);
    const again = await requestToken(server, codeForm(client, answer));
    expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await requestToken(server, refreshForm(client, refreshToken))).body['error']).toBe('invalid_grant');
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
  });

  it('is good once when it is used twice at the same time', async () => {
    const server = await start();
    const client = await registerClient(server);
    const answer = await authorize(server, client);
    const both = await Promise.all([1, 2].map(() => requestToken(server, codeForm(client, answer))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it.each([
    [
      'another client',
      async (server: Awaited<ReturnType<typeof start>>) => ({ client_id: (await registerClient(server)).id }),
    ],
    ['another redirect address', async () => ({ redirect_uri: 'http://127.0.0.1:41001/other' })],
  ])('is good for nobody after %s has used it', async (_what, changes) => {
    const server = await start();
    const client = await registerClient(server);
    const answer = await authorize(server, client);
    const wrong = await requestToken(server, codeForm(client, answer, await changes(server)));
    expect([wrong.status, wrong.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await requestToken(server, codeForm(client, answer))).body['error']).toBe('invalid_grant');
  });
});

describe('the scopes of a request (row 25)', () => {
  it('leave out what the server does not know', async () => {
    const server = await start();
    const client = await registerClient(server);
    const url = authorizationUrl(server, client, { scope: 'openid mcp:admin mcp:delete offline_access mcp:read' });
    expect(scopesOn(await openConsent(createBrowser(), server.platform, url))).toEqual(['mcp:read', 'mcp:delete']);
  });

  it('are refused when the server knows none of them', async () => {
    const server = await start();
    const answer = await askFor(authorizationUrl(server, await registerClient(server), { scope: 'mcp:admin' }));
    expect(errorOf(answer)).toBe('invalid_scope');
  });

  it('cannot grow with a refresh token', async () => {
    const server = await start();
    const { client, refreshToken } = await connectClient(server, { scope: 'mcp:read' });
    const more = await requestToken(server, refreshForm(client, refreshToken, { scope: 'mcp:read mcp:delete' }));
    expect([more.status, more.body['error']]).toEqual([400, 'invalid_scope']);
  });
});

describe('the id of a client (row 27)', () => {
  it.each(['../../x', 'x'.repeat(10_000), 'a\u0000b', 'http://app.example/client.json', 'ftp://x', 'unknown'])(
    'is refused without a redirect: %s',
    async (id) => {
      const server = await start();
      const client = { id, redirectUri: 'https://app.example/callback' };
      const { status, location } = await askFor(authorizationUrl(server, client));
      expect([status, location]).toEqual([400, null]);
    },
  );
});

describe('a refresh token (row 31)', () => {
  it('comes twice within a short time, for requests at the same time', async () => {
    const server = await start();
    const { client, refreshToken } = await connectClient(server);
    const both = await Promise.all([1, 2].map(() => requestToken(server, refreshForm(client, refreshToken))));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('comes a second time later, which ends all that came of the grant', async () => {
    const server = await start();
    const { client, refreshToken } = await connectClient(server);
    const next = await requestToken(server, refreshForm(client, refreshToken));
    platform().pass(11_000);
    expect((await requestToken(server, refreshForm(client, refreshToken))).body['error']).toBe('invalid_grant');
    expect((await requestToken(server, refreshForm(client, next.refreshToken))).body['error']).toBe('invalid_grant');
    expect(await server.tokens.verify(next.accessToken, server.resource)).toBeUndefined();
  });

  it('is refused when another client shows it', async () => {
    const server = await start();
    const { refreshToken } = await connectClient(server);
    const other = await registerClient(server);
    const answer = await requestToken(server, refreshForm(other, refreshToken));
    expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_grant']);
  });
});

describe('revocation', () => {
  const revoke = async (issuer: string, form: Record<string, string>) =>
    (await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(form) })).status;

  it('ends the access tokens and the later refresh tokens of a refresh token', async () => {
    const server = await start();
    const { client, accessToken, refreshToken } = await connectClient(server);
    expect(await server.tokens.verify(accessToken, server.resource)).toBeDefined();
    expect(await revoke(server.issuer, { token: refreshToken, client_id: client.id })).toBe(200);
    expect((await requestToken(server, refreshForm(client, refreshToken))).body['error']).toBe('invalid_grant');
    expect(await server.tokens.verify(accessToken, server.resource)).toBeUndefined();
  });

  it('changes nothing when another client asks for it', async () => {
    const server = await start();
    const { client, refreshToken } = await connectClient(server);
    const other = await registerClient(server);
    expect(await revoke(server.issuer, { token: refreshToken, client_id: other.id })).toBe(200);
    expect((await requestToken(server, refreshForm(client, refreshToken))).status).toBe(200);
  });
});

describe('the authorization server while the platform is away', () => {
  it('answers 503 in the form of OAuth, and metadata as always', { tags: 'long' }, async () => {
    const server = await start({ serverUrl: 'http://127.0.0.1:9' });
    const client = { id: 'some-client', redirectUri: 'https://app.example/callback' };
    const token = await requestToken(server, refreshForm(client, 'a token'));
    expect([token.status, token.body['error']]).toEqual([503, 'temporarily_unavailable']);
    const asked = await askFor(authorizationUrl(server, client));
    expect([asked.status, JSON.parse(asked.text)]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
    expect((await fetch(`${server.place.origin}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });
});
