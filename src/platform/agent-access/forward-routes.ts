import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { agentForwardPath } from '#contracts/console';
import { impersonationHeader } from '#contracts/impersonations';
import { whenClosed } from '#kernel/async/when-closed';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { createRequestCarrier, type RequestCarrier } from '#node/http/carry-request';
import { environmentNamed, type Guards, impersonableRoute } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { EnvironmentRecord, IdentityRepository, ReachAgent } from '../identity/identity-repository.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import { clientAddress } from '../server/client-address.ts';
import { forwardingHeaders } from '../server/same-machine.ts';
import type { Store } from '../store/store.ts';
import { createAgentCodes, registerAgentCodeRoutes } from './agent-codes.ts';
import { type AgentTokens, createAgentTokens, unreachable } from './agent-tokens.ts';
import { findImpersonations, registerImpersonationRoutes } from './impersonations.ts';

interface ForwardServices {
  readonly identity: IdentityRepository;
  readonly tokens: AgentTokens;
  readonly carrier: RequestCarrier;
  readonly reachAgent: ReachAgent;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Hands requests of the console to the agents that the platform reaches, as the person who is signed in in the browser. */
function registerForwarding(server: FastifyInstance, guards: Guards, services: ForwardServices): void {
  const { identity, tokens, carrier, reachAgent } = services;
  server.register(async (own) => {
    // Bodies go on as they come.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', (_request, _payload, done) => done(null));
    own.route({
      method: methods,
      url: `${agentForwardPath}/:environment/*`,
      onRequest: guards.user.check,
      config: impersonableRoute,
      handler: async (request, reply) => {
        const person = guards.user.of(request);
        if (person.credential.kind !== 'browser') throw noBrowser();
        const { session } = person.credential;
        const { environment: name } = request.params as { readonly environment: string };
        const environment = await environmentNamed(identity, person.environment, name);
        const agentUrl = (await reachAgent(environment))?.replace(/\/$/, '');
        if (agentUrl === undefined) throw notReached(environment);
        const path = pathAtAgent(request.raw.url ?? '');
        const { impersonation } = person;
        const clientAddress = addressOfBrowser(request);
        const token = await tokens.of({ session, environment, agentUrl, clientAddress, impersonation });
        const gone = new AbortController();
        whenClosed(reply.raw, () => gone.abort());
        const answer = await carrier
          .carry({
            url: new URL(agentUrl + path),
            method: request.method,
            headers: { ...chosen(request.headers, isForwarded), authorization: `Bearer ${token}` },
            body: request.raw,
            signal: gone.signal,
          })
          .catch((cause: unknown) => {
            throw unreachable(environment, cause);
          });
        if (answer.statusCode === 401) {
          answer.resume();
          tokens.drop(session.id);
          throw tokenEnded(environment);
        }
        return passOn(answer, reply);
      },
    });
  });
}

/** An answer of the agent cannot act as a page of the platform, whatever it holds. */
const answerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': 'sandbox',
  'cross-origin-resource-policy': 'same-origin',
};

/** Hand an answer out as it comes, compressed or not. */
function passOn(answer: IncomingMessage, reply: FastifyReply): FastifyReply {
  const { raw } = reply;
  const requestId = reply.getHeader('x-request-id');
  reply.hijack();
  const own = { ...(requestId === undefined ? {} : { 'x-request-id': requestId }), ...answerHeaders };
  raw.writeHead(answer.statusCode ?? 502, { ...own, ...chosen(answer.headers, isAnswered) });
  // A stream may have nothing to say for a while, and its client wants to know that it is open.
  if (answer.headers['content-length'] === undefined) raw.flushHeaders();
  // An answer that is cut on the way is cut for the browser as well, so that it does not pass for a whole one.
  pipeline(answer, raw, () => undefined);
  return reply;
}

/** What the agent learns of a request. Cookies, credentials and what proxies say stay here. */
const forwardedNames: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'range',
  'transfer-encoding',
]);
/** Headers that begin like those of agents. They are of the platform itself, secrets, or of the service workers of browsers. */
const otherNames: ReadonlySet<string> = new Set([
  'service-client',
  'service-environment',
  impersonationHeader,
  'service-project',
  'service-secret-key',
  'service-token',
  'service-worker',
  'service-worker-allowed',
  'service-worker-navigation-preload',
]);

function isForwarded(name: string): boolean {
  return forwardedNames.has(name) || isOfAgent(name);
}

/** What a browser may do with an answer is the platform's to say. */
const answeredNames: ReadonlySet<string> = new Set([
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'retry-after',
  'vary',
  'x-service-correlation-id',
]);

function isAnswered(name: string): boolean {
  return answeredNames.has(name) || isOfAgent(name);
}

function isOfAgent(name: string): boolean {
  return name.startsWith('service-') && !otherNames.has(name);
}

function chosen(headers: IncomingHttpHeaders, isChosen: (name: string) => boolean): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && isChosen(name)));
}

/**
 * What follows the environment in an address, as it was sent. No part of it leads out of the agent's own routes, and none to its
 * sign-in, which would set cookies.
 *
 * @throws `REQUEST_INVALID`
 */
function pathAtAgent(url: string): string {
  const [, path = '', query = ''] = /^([^?]*)(\?.*)?$/s.exec(url) ?? [];
  const parts = path
    .slice(agentForwardPath.length + 1)
    .split('/')
    .slice(1);
  const names = parts.map((part) => part.replaceAll(/%2e/gi, '.'));
  if (names.some((name) => name === '.' || name === '..')) {
    throw invalidRequest('The path has a part that leads elsewhere.', 'Leave "." and ".." out.');
  }
  if (/^authentication$/i.test(decoded(parts[0] ?? ''))) {
    throw invalidRequest('The platform signs in at the agent by itself.', 'Leave the sign-in of the agent out.');
  }
  return `/${parts.join('/')}${query}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidRequest('The path cannot be decoded.', 'Write % as %25.');
  }
}

/**
 * The address that the rules of the project are about. A browser on this machine has none of its own: for the agent it is where the
 * platform is. A proxy on this machine that is not trusted stands for everybody, and is not such a browser.
 */
function addressOfBrowser({ ip, headers, socket }: FastifyRequest): string | undefined {
  const isHere = clientAddress({ ip: socket.remoteAddress ?? '' }) === undefined && clientAddress({ ip }) === undefined;
  return isHere && forwardingHeaders.every((name) => headers[name] === undefined) ? undefined : ip;
}

function noBrowser(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'The platform forwards requests of browsers only.',
    'With a token, call the agent itself: vendor-cloud tokens print agent',
  );
}

function notReached({ name }: EnvironmentRecord): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `The platform does not reach the agent of the environment "${name}".`, [
    `Start the platform with --agent-address ${name}=<address of the agent, with its prefix>.`,
    'Or call the agent from the browser, with a code of POST /api/agent-codes.',
  ]);
}

function tokenEnded({ name }: EnvironmentRecord): CloudError {
  return cloudError(
    'AGENT_TOKEN_ENDED',
    `The session at the agent of the environment "${name}" has ended. Nothing was done.`,
    'Send the request again.',
  );
}

export interface AgentAccessServices {
  readonly identity: IdentityRepository;
  readonly rights: RightsRepository;
  readonly events: EventHub;
  readonly adminLog: AdminLog;
}

export interface AgentAccessOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Default: the platform reaches no agent. */
  readonly reachAgent?: ReachAgent;
}

/** Agents give up a request after two minutes, and say so. */
const silenceMs = 150_000;

/** How the console reaches agents: by one-time codes, or through the platform. Resolves to the tokens that the platform has there. */
export function registerAgentAccess(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { identity, rights, events, adminLog }: AgentAccessServices,
  { clock, random, reachAgent = () => undefined }: AgentAccessOptions,
): AgentTokens {
  const impersonations = { store, identity, clock, random, adminLog };
  registerImpersonationRoutes(server, guards, impersonations);
  const findImpersonation = findImpersonations(impersonations);
  const codes = createAgentCodes({ store, sources: { identity, rights }, findImpersonation, clock, random });
  registerAgentCodeRoutes(server, guards, codes);
  const carrier = createRequestCarrier(silenceMs);
  server.addHook('onClose', async () => carrier.close());
  const tokens = createAgentTokens({ codes, events, carrier, clock, random });
  registerForwarding(server, guards, { identity, tokens, carrier, reachAgent });
  return tokens;
}
