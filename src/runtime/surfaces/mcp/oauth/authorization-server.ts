import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors } from 'oidc-provider';
import { pathOf } from '../mcp-routes.ts';
import { sendProblemPage } from './browser-answers.ts';
import { createConsent } from './consent.ts';
import { createMcpProvider } from './create-provider.ts';
import { asOfIssuer, createHandOver } from './hand-over.ts';
import { knownAuthorizationRequest, knownTokenRequest } from './known-requests.ts';
import { queryOf, readOauthBody } from './oauth-body.ts';
import type { McpAuthorizationOptions } from './oauth-options.ts';
import { refuseOauth } from './oauth-refusal.ts';
import { createPersonSignIn } from './person-sign-in.ts';
import { readRegistration } from './registration.ts';
import { createRequestLimits } from './request-limits.ts';

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

/** What a person's browser is refused is told as a page. */
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
