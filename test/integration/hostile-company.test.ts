import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { authorizationUrl } from '../helpers/agent-authorization.ts';
import { createBrowser } from '../helpers/browser.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const callback = 'https://admin.example.test/service/authentication/callback';
const clientId = 'platform';

interface Asked {
  readonly issuer: string;
  /** Of the authorization request. */
  readonly nonce: string;
  readonly response: ServerResponse;
}

type Claims = Readonly<Record<string, unknown>>;

const now = () => Math.floor(Date.now() / 1000);
const honest = ({ issuer, nonce }: Asked): Claims => ({
  iss: issuer,
  aud: clientId,
  sub: 'somebody',
  nonce,
  iat: now(),
  exp: now() + 300,
  email: 'ada@example.test',
  email_verified: true,
});
const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
const keys = { keys: [{ ...(await exportJWK(own.publicKey)), alg: 'RS256', use: 'sig', kid: 'own' }] };
const clientSecret = 'a secret of the company, long enough';
const signed = (claims: Claims, key: typeof own.privateKey | Uint8Array = own.privateKey, alg = 'RS256') =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg, kid: 'own' }).sign(key);
const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const tokens = (response: ServerResponse, idToken: unknown) =>
  json(response, { access_token: 'x', token_type: 'Bearer', expires_in: 300, id_token: idToken });

interface Hostility {
  readonly token?: (asked: Asked) => unknown;
  readonly discovery?: (document: object, response: ServerResponse) => unknown;
  readonly jwks?: (response: ServerResponse) => unknown;
}

/** A platform whose company answers as it likes. */
async function startHostileCompany({ token, discovery, jwks }: Hostility) {
  let nonce = '';
  let issuer = '';
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', issuer);
    if (url.pathname === '/.well-known/openid-configuration') {
      const document = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      };
      return discovery ? discovery(document, response) : json(response, document);
    }
    if (url.pathname === '/authorize') {
      nonce = url.searchParams.get('nonce') ?? '';
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' }).toString();
      return response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/jwks') return jwks ? jwks(response) : json(response, keys);
    request.resume();
    return token?.({ issuer, nonce, response });
  };
  const server = await startHttpServer((request, response) => answer(request, response));
  issuer = server.origin;
  const port = await freePort();
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  return startTeamPlatform({
    store: { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') },
    port: { port, isExact: true },
    companySignOn: {
      issuer,
      clientId,
      clientSecret,
      domains: ['example.test'],
      isOnly: false,
      secondFactors: [],
      groupsClaim: 'groups',
      scopes: [],
      http,
    },
  });
}

/** Somebody signs in with the company; where the browser ends. */
async function signOn(hostility: Hostility) {
  const platform = await startHostileCompany(hostility);
  const browser = createBrowser();
  const isBack = (url: string) => url.startsWith(callback);
  const page = await browser.follow(await authorizationUrl(platform, callback), isBack);
  const link = /href="([^"]*company[^"]*)"/.exec((await page.response?.text()) ?? '')?.[1] ?? '';
  const end = await browser.follow(new URL(link, page.url).href, isBack);
  return { url: end.url, status: end.response?.status, html: (await end.response?.text()) ?? '' };
}

const elsewhere: { asked: number } = { asked: 0 };
async function startElsewhere() {
  elsewhere.asked = 0;
  const { origin } = await startHttpServer((_request, response) => {
    elsewhere.asked += 1;
    json(response, {});
  });
  return origin;
}

const changed = (change: Claims) => async (asked: Asked) =>
  tokens(asked.response, await signed({ ...honest(asked), ...change }));

it('somebody is signed in whose token is what it has to be', async () => {
  expect((await signOn({ token: changed({}) })).url).toContain(`${callback}?code=`);
});

it.each<[string, NonNullable<Hostility['jwks']>]>([
  ['are larger than keys', (response) => json(response, { ...keys, x: 'x'.repeat(2 * 1024 * 1024) })],
  [
    'are to be found elsewhere',
    async (response) => response.writeHead(302, { location: await startElsewhere() }).end(),
  ],
  ['are missing', (response) => json(response, { keys: [] })],
])('nobody is signed in by a company whose keys %s', async (_how, jwks) => {
  elsewhere.asked = 0;
  const end = await signOn({ token: changed({}), jwks });
  expect([end.status, end.url.startsWith(callback)]).toEqual([403, false]);
  expect(elsewhere.asked).toBe(0);
});

it.each<[string, Hostility['token']]>([
  ['is of another issuer', changed({ iss: 'https://evil.example' })],
  ['is for another client', changed({ aud: 'another' })],
  ['is for several, and does not name one', changed({ aud: [clientId, 'another'] })],
  ['has the nonce of another sign-in', changed({ nonce: 'another' })],
  ['has no nonce', changed({ nonce: undefined })],
  ['has expired', changed({ exp: now() - 3600 })],
  ['never ends', changed({ exp: undefined })],
  [
    'is signed with another key',
    async (asked) => tokens(asked.response, await signed(honest(asked), foreign.privateKey)),
  ],
  [
    'is signed with the secret of the platform',
    async (asked) =>
      tokens(asked.response, await signed(honest(asked), new TextEncoder().encode(clientSecret), 'HS256')),
  ],
  ['is not signed', (asked) => tokens(asked.response, new UnsecuredJWT({ ...honest(asked) }).encode())],
  ['is missing', ({ response }) => tokens(response, undefined)],
  ['is not a token', ({ response }) => tokens(response, 'eyJ.eyJ.x')],
  ['comes as a page', ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')],
  [
    'is promised elsewhere',
    async ({ response }) => response.writeHead(307, { location: `${await startElsewhere()}/token` }).end(),
  ],
  ['is a megabyte long', ({ response }) => tokens(response, 'x'.repeat(1024 * 1024))],
  ['has headers without an end', ({ response }) => response.setHeader('x', 'x'.repeat(100_000)).end('{}')],
])('nobody is signed in whose token %s', async (_how, token) => {
  elsewhere.asked = 0;
  const end = await signOn(token ? { token } : {});
  expect(end.url.startsWith(callback)).toBe(false);
  expect(end.status).toBeGreaterThanOrEqual(400);
  // What the company says is not part of the page but as a text.
  expect(end.html).not.toContain('<p>Hello');
  expect(elsewhere.asked).toBe(0);
});

it.each<[string, Hostility['discovery']]>([
  ['names another issuer', (document, response) => json(response, { ...document, issuer: 'https://evil.example' })],
  [
    'is larger than a document',
    (document, response) => json(response, { ...document, x: 'x'.repeat(2 * 1024 * 1024) }),
  ],
  [
    'is to be found elsewhere',
    async (_document, response) => response.writeHead(302, { location: await startElsewhere() }).end(),
  ],
  [
    'is not JSON',
    (_document, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
  ],
])('nobody is sent to a company whose document %s', async (_how, discovery) => {
  elsewhere.asked = 0;
  expect(await signOn(discovery ? { discovery } : {})).toMatchObject({ status: 502 });
  expect(elsewhere.asked).toBe(0);
});

it('a description of the company is shown as a text', async () => {
  const words = '<script>alert(1)</script>\u202e';
  const { html, status } = await signOn({
    token: ({ response }) => json(response, { error: 'invalid_grant', error_description: words.repeat(3) }, 400),
  });
  expect(status).toBe(403);
  expect(html).not.toContain('<script>alert');
});
