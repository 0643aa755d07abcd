import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Provider } from 'oidc-provider';
import type { Clock } from '#kernel/ports/clock';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import { createRateCounter } from '../../request/rate-counter.ts';
import { issuerOf, type McpPlace, pathOf, resourceOf } from '../mcp-routes.ts';
import { createConsent } from './consent.ts';
import { createMcpProvider } from './create-provider.ts';
import { queryOf, readOauthBody, refuseOauth, requestWith, sendProblemPage } from './oauth-http.ts';
import type { McpAuthorizationOptions } from './oauth-options.ts';
import { createPersonSignIn } from './person-sign-in.ts';
import { readRegistration } from './registration.ts';

/** @param address Of the client, as far as trusted proxies tell. */
type Answer = (request: IncomingMessage, response: ServerResponse, address: string) => Promise<void>;

/** Answers the routes below `/oauth/`. The path and the method have been checked. */
export interface AuthorizationServer {
  readonly authorize: Answer;
  /** The browser comes from the consent page. */
  readonly resume: Answer;
  readonly token: Answer;
  readonly register: Answer;
  readonly revoke: Answer;
  readonly signedIn: Answer;
  readonly consent: Answer;
}

const unavailableSeconds = 30;

/** This module is loaded with the first request that needs it, and the OAuth library with it. */
export function createAuthorizationServer(options: McpAuthorizationOptions): AuthorizationServer {
  const { place, clock } = options;
  const provider = createMcpProvider(options);
  const signIn = createPersonSignIn(options);
  const consent = createConsent(options, provider, signIn);
  const handOver = createHandOver(provider, place);
  const isWithin = createRequestLimits(clock);

  const answerForm =
    (path: string): Answer =>
    async (request, response, address) => {
      const text = await readOauthBody(request);
      if (text === undefined) return tooLarge(response);
      const form = knownTokenRequest(new URLSearchParams(text), place);
      if (!isWithin('token', address, response)) return;
      if (!isWithin('tokenOfClient', JSON.stringify([address, form.get('client_id')]), response)) return;
      await handOver(request, response, { method: 'POST', path, body: form.toString() });
    };

  return {
    async authorize(request, response, address) {
      if (!isWithin('authorize', address, response)) return;
      const text = request.method === 'POST' ? await readOauthBody(request) : queryOf(request);
      if (text === undefined) return tooLarge(response);
      const query = knownAuthorizationRequest(new URLSearchParams(text), place);
      await handOver(request, response, { method: 'GET', path: `/oauth/authorize?${query}` });
    },
    resume: (request, response) =>
      handOver(request, response, { method: 'GET', path: pathOf(request.url ?? '').slice(place.basePath.length) }),
    token: answerForm('/oauth/token'),
    revoke: answerForm('/oauth/revoke'),
    async register(request, response, address) {
      if (!isWithin('register', address, response)) return;
      const text = await readOauthBody(request);
      if (text === undefined) return tooLarge(response);
      const read = readRegistration(text);
      if ('problem' in read) return refuseOauth(response, 400, read.problem.error, read.problem.error_description);
      await handOver(request, response, {
        method: 'POST',
        path: '/oauth/register',
        body: JSON.stringify(read.metadata),
      });
    },
    signedIn: (request, response) => asPage(response, signIn.finish(request, response), options),
    consent: (request, response) => {
      const uid =
        pathOf(request.url ?? '')
          .split('/')
          .at(-1) ?? '';
      const answer = request.method === 'POST' ? consent.decide : consent.show;
      return asPage(response, answer(asOfIssuer(request, place), response, uid), options);
    },
  };
}

/** What a person's browser is refused is reported as a page. */
async function asPage(response: ServerResponse, work: Promise<void>, { logger }: McpAuthorizationOptions) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError) || !error.expose) throw error;
    logger.log('Warn', 'Somebody cannot connect an MCP client.', { error: error.cause ?? error });
    if (error.status === 503) response.setHeader('retry-after', String(unavailableSeconds));
    sendProblemPage(response, error.status, error.error_description ?? error.message);
  }
}

function tooLarge(response: ServerResponse): void {
  refuseOauth(response, 413, 'invalid_request', 'The body is too large.', { connection: 'close' });
}

const perMinute = (name: string, quota: number): RatePolicy => ({ name, quota, windowSeconds: 60 });

/** Of one address, and of one client at one address. */
const policies = {
  register: perMinute('register', 10),
  authorize: perMinute('authorize', 60),
  token: perMinute('token', 300),
  tokenOfClient: perMinute('token of client', 60),
};

/** Whether a request goes on; otherwise it is refused. */
type IsWithinLimit = (limit: keyof typeof policies, key: string, response: ServerResponse) => boolean;

function createRequestLimits(clock: Clock): IsWithinLimit {
  const counter = createRateCounter(clock);
  return (limit, key, response) => {
    const waitSeconds = counter.take([{ policy: policies[limit], key }]);
    if (waitSeconds === undefined) return true;
    const headers = { 'retry-after': String(waitSeconds) };
    refuseOauth(response, 429, 'temporarily_unavailable', 'Too many requests. Wait, then try again.', headers);
    return false;
  };
}

/** A request as the library answers it. */
interface LibraryRequest {
  readonly method: 'GET' | 'POST';
  /** Below the base path, with its query. */
  readonly path: string;
  readonly body?: string;
}

/** Lets the library answer a request. */
type HandOver = (request: IncomingMessage, response: ServerResponse, as: LibraryRequest) => Promise<void>;

function createHandOver(provider: Provider, place: McpPlace): HandOver {
  const answer = provider.callback();
  return async (request, response, { path, ...as }) => {
    const copy = asOfIssuer(requestWith(request, { ...as, url: path }), place);
    await answer(Object.assign(copy, { originalUrl: place.basePath + path }), response);
  };
}

/** The links and the cookies of the library are those of its issuer, whatever a proxy makes of the request or says of itself. */
function asOfIssuer(request: IncomingMessage, { origin }: McpPlace): IncomingMessage {
  const { host, protocol } = new URL(origin);
  Object.assign(request.headers, { 'x-forwarded-host': host, 'x-forwarded-proto': protocol.slice(0, -1) });
  return request;
}

/** What a client asks for that names no scope. */
const leastScope = 'mcp:read';

/** Parameters that the server knows. Answers come in the query, whatever mode a client names. Others are passed over, such as those that OpenID Connect adds. */
const known = new Set([
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'resource'],
  ...['code_challenge', 'code_challenge_method'],
]);

/** The parameters of an authorization request, with the resource and the scope as the server names them. */
function knownAuthorizationRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const request = knownTokenRequest(new URLSearchParams([...asked].filter(([name]) => known.has(name))), place);
  if ((request.get('scope') ?? '').trim() === '') request.set('scope', leastScope);
  // The person is asked each time, so that no other wish than to ask nobody makes a difference.
  if (asked.get('prompt') === 'none') request.set('prompt', 'none');
  return request;
}

/** The parameters of a token request. A resource that is not ours stays, and is refused later. */
function knownTokenRequest(asked: URLSearchParams, place: McpPlace): URLSearchParams {
  const request = new URLSearchParams(asked);
  const resources = new Set(asked.getAll('resource').map((resource) => knownResource(resource, place)));
  request.delete('resource');
  for (const resource of resources) request.append('resource', resource);
  return request;
}

/** Clients also call the endpoint by its host only, or with a slash at the end. */
function knownResource(asked: string, place: McpPlace): string {
  const own = resourceOf(place);
  const names = [own, issuerOf(place), place.origin].map((name) => withoutSlash(new URL(name).href));
  const href = URL.parse(asked)?.href;
  return href !== undefined && names.includes(withoutSlash(href)) ? own : asked;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
