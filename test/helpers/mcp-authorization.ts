import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { type Logger, silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { createPublicFetch, type PublicFetch } from '#node/http/public-fetch';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { type McpPlace, resourceOf } from '#runtime/surfaces/mcp/mcp-routes';
import { createMcpTokens, type McpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { createMcpAuthorization } from '#runtime/surfaces/mcp/oauth/mcp-authorization';
import { createEndedSessionList } from '#runtime/surfaces/sign-in/session-tokens';
import { type DevelopmentAccess, type Sandbox, startSandbox } from '#sandbox/index';
import { type Browser, createBrowser } from './browser.ts';
import { startHttpServer } from './http-server.ts';
import { cheapPasswords } from './password-cost.ts';

export const envSecret = 'c'.repeat(64);
export const authSecret = 'the auth secret of the agents of a test';

/** A platform, and Ada, who signs in there. */
export interface SignInPlace {
  readonly sandbox: Sandbox;
  readonly access: DevelopmentAccess;
}

/** A platform for the tests of a file. */
export interface McpPlatform extends SignInPlace {
  /** Let time pass at the platform. */
  pass(ms: number): void;
}

export function useMcpPlatform(): () => McpPlatform {
  let platform: McpPlatform | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
    let passedMs = 0;
    const sandbox = await startSandbox({
      store: `sqlite:${path.join(folder, 'platform.sqlite')}`,
      port: { port: 0, isExact: false },
      clock: { ...systemClock, now: () => systemClock.now() + passedMs },
      random: systemRandom,
      logger: silentLogger,
      passwordCost: cheapPasswords,
      platformKey: systemRandom.hex(32),
    });
    const user = { name: 'Ada', email: 'ada@example.test' };
    const access = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
    const pass = (ms: number) => {
      passedMs += ms;
    };
    platform = { sandbox, access, pass };
  });
  afterAll(async () => {
    await platform?.sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!platform) throw new TypeError('The platform of the tests is not there yet.');
    return platform;
  };
}

/** The authorization server of an agent, on a port of its own until the test ends. */
export interface McpServer {
  readonly place: McpPlace;
  /** Of its routes. */
  readonly issuer: string;
  readonly resource: string;
  /** Verifies access tokens as the endpoint does, without a list that it has kept. */
  readonly tokens: McpTokens;
  readonly platform: McpPlatform;
  /** What agents keep in memory is gone. */
  restart(): void;
}

export interface McpServerOptions {
  readonly basePath?: string;
  /** How many agents answer at the address, in turn. Default 1. */
  readonly agents?: number;
  readonly fetchDocument?: PublicFetch;
  readonly serverUrl?: string;
  /** The address that a request comes from. */
  readonly addressOf?: (request: IncomingMessage) => string;
}

export async function startMcpServer(platform: McpPlatform, options: McpServerOptions = {}): Promise<McpServer> {
  const { basePath = '', fetchDocument = createPublicFetch(), addressOf = () => 'somewhere' } = options;
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const serverUrl = options.serverUrl ?? platform.sandbox.url;
  const client = createPlatformClient({ serverUrl, http, credentials: { envSecret } });
  const errors: unknown[] = [];
  const logger: Logger = { log: (level, message, fields) => void (level === 'Error' && errors.push(message, fields)) };
  onTestFinished(() => expect(errors).toEqual([]));
  let answered = 0;
  const server = await startHttpServer((request, response) => {
    const agent = agents[answered++ % agents.length];
    void agent?.answer(request, response, addressOf(request));
  });
  const place = { origin: server.origin, basePath };
  const own = {
    ...{ place, authSecret, platform: client, fetchDocument, clock: systemClock, random: systemRandom, logger },
    browsable: async () => ['customers', 'orders'],
  };
  const startAgents = () => Array.from({ length: options.agents ?? 1 }, () => createMcpAuthorization(own));
  let agents = startAgents();
  const restart = () => {
    agents = startAgents();
  };
  const hasEnded: Parameters<typeof createMcpTokens>[3] = (...token) =>
    createEndedSessionList(client, systemClock).hasEnded(...token);
  const tokens = createMcpTokens(authSecret, systemClock, systemRandom, hasEnded);
  return { place, issuer: place.origin + basePath, resource: resourceOf(place), tokens, platform, restart };
}

export interface TestClient {
  readonly id: string;
  readonly redirectUri: string;
}

/** Register a client that waits for its answer on this machine. */
export async function registerClient({ issuer }: McpServer, metadata: object = {}): Promise<TestClient> {
  const redirectUri = 'http://127.0.0.1:41001/callback';
  const answer = await fetch(`${issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [redirectUri], ...metadata }),
  });
  const registered = (await answer.json()) as { client_id: string; redirect_uris: string[] };
  expect([answer.status, registered]).toMatchObject([201, { token_endpoint_auth_method: 'none' }]);
  return { id: registered.client_id, redirectUri: registered.redirect_uris[0] ?? '' };
}

const verifier = randomBytes(32).toString('base64url');
export const challengeOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** The address that a client opens in a browser. A parameter that is `undefined` is left out. */
export function authorizationUrl(
  { issuer, resource }: McpServer,
  client: TestClient,
  changes: Readonly<Record<string, string | readonly string[] | undefined>> = {},
): string {
  const asked = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    scope: 'mcp:read mcp:write',
    state: 'a state',
    resource,
    ...changes,
  };
  const query = Object.entries(asked).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map((each): [string, string] => [name, String(each)]),
  );
  return `${issuer}/oauth/authorize?${new URLSearchParams(query)}`;
}

/** What a browser shows. */
export interface Shown {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

const post = (browser: Browser, url: string, form: URLSearchParams, headers: Readonly<Record<string, string>> = {}) =>
  browser.open(url, { method: 'POST', headers: { origin: new URL(url).origin, ...headers }, body: form });

/** Ada signs in at the platform; the page that asks her to agree, or an error. */
export async function openConsent(browser: Browser, { sandbox, access }: SignInPlace, url: string): Promise<Shown> {
  const first = await browser.follow(url, () => false);
  const isAtPlatform = first.url.startsWith(sandbox.url);
  if (!isAtPlatform || first.response?.status !== 200) return shown(first.url, first.response);
  const posted = await post(browser, first.url, new URLSearchParams({ token: access.userToken }));
  const next = new URL(posted.headers.get('location') ?? '', first.url).href;
  const last = await browser.follow(next, () => false);
  return shown(last.url, last.response);
}

/** What the browser of somebody shows who is signed in at the platform. */
export async function shownAt(browser: Browser, url: string): Promise<Shown> {
  const last = await browser.follow(url, () => false);
  return shown(last.url, last.response);
}

async function shown(url: string, response: Response | undefined): Promise<Shown> {
  return {
    url,
    status: response?.status ?? 0,
    headers: response?.headers ?? new Headers(),
    html: await textOf(response),
  };
}

const textOf = async (response: Response | undefined) => (await response?.text()) ?? '';

/** Ada answers; the address that the browser is sent to in the end. */
export async function answerConsent(
  browser: Browser,
  page: Shown,
  answer: 'allow' | 'deny' = 'allow',
  scopes: readonly string[] = scopesOn(page),
  choices: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const form = new URLSearchParams({ token: formTokenOf(page), answer });
  for (const scope of scopes) form.append('scope', scope);
  for (const [name, value] of Object.entries(choices)) form.append(name, value);
  const posted = await post(browser, page.url, form);
  expect([posted.status, posted.status === 303 ? '' : await posted.text()]).toEqual([303, '']);
  const { origin } = new URL(page.url);
  const next = new URL(posted.headers.get('location') ?? '', page.url).href;
  return new URL((await browser.follow(next, (url) => !url.startsWith(origin))).url);
}

const formTokenOf = ({ html }: Shown) => /name="token" value="([^"]*)"/.exec(html)?.[1] ?? '';

export const scopesOn = ({ html }: Shown) =>
  [...html.matchAll(/name="scope" value="([^"]*)"/g)].map(([, scope = '']) => scope);

/** The whole way of the browser: where the client gets its answer. */
export async function authorize(
  server: McpServer,
  client: TestClient,
  changes: Parameters<typeof authorizationUrl>[2] = {},
): Promise<URL> {
  const browser = createBrowser();
  const page = await openConsent(browser, server.platform, authorizationUrl(server, client, changes));
  expect([page.status, page.html]).toEqual([200, expect.stringContaining('name="answer"')]);
  return answerConsent(browser, page);
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly accessToken: string;
  readonly refreshToken: string;
}

export async function requestToken(
  { issuer }: McpServer,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> {
  const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(form) });
  const body = (await answer.json()) as Record<string, unknown>;
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  return { status: answer.status, body, accessToken: String(accessToken), refreshToken: String(refreshToken) };
}

/** The form that exchanges the code of an answer. */
export function codeForm(client: TestClient, answer: URL, changes: Readonly<Record<string, string>> = {}) {
  const code = answer.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri, client_id: client.id };
  return { ...form, code_verifier: verifier, ...changes };
}

export const refreshForm = (
  client: TestClient,
  refreshToken: string,
  changes: Readonly<Record<string, string>> = {},
) => ({
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
  client_id: client.id,
  ...changes,
});

/** Register, agree and exchange the code. */
export async function connectClient(server: McpServer, changes: Parameters<typeof authorizationUrl>[2] = {}) {
  const client = await registerClient(server);
  const answer = await authorize(server, client, changes);
  const tokens = await requestToken(server, codeForm(client, answer));
  expect([tokens.status, tokens.body]).toMatchObject([200, { token_type: 'Bearer' }]);
  return { client, answer, ...tokens };
}
