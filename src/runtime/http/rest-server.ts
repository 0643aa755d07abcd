import type { IncomingMessage } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { ActivityOutbox } from '../activity/activity-outbox.ts';
import type { AgentStateHolder, StateLease } from '../agent/agent-state.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { encodeCollectionName } from './collection-in-path.ts';
import { answerCors, correlationHeader } from './cors.ts';
import { addHostBodies } from './host-body.ts';
import type { IpFilter } from './ip-filter.ts';
import { parseTimezone } from './parse/timezone.ts';
import type { CustomizeErrorMessage } from './public-error.ts';
import { readToken } from './read-token.ts';
import { answerReported } from './report-activity.ts';
import { addBodyParsers, type BodyLimits } from './request-body.ts';
import {
  boundedJson,
  type Deadline,
  defaultRequestLimits,
  type RequestLimits,
  startDeadline,
  tooManyRequests,
} from './request-limits.ts';
import type { QueryParameters, Route, RouteCall } from './route.ts';
import { routes } from './routes/index.ts';
import { sendError, sendText } from './send-error.ts';
import type { SessionTokens } from './session-token.ts';
import { openStreamBody } from './stream-body.ts';
import { type ObserveRequest, observeRequests, type Telemetry } from './telemetry.ts';

export interface RestServerOptions {
  /** Path the routes are below, with a slash in front and none behind; empty for the root. */
  readonly prefix: string;
  readonly states: AgentStateHolder;
  /** How many records an export holds at most; default: all. */
  readonly exportLimit?: number | undefined;
  readonly tokens: SessionTokens;
  /** Without it requests may come from anywhere. */
  readonly ipFilter?: IpFilter | undefined;
  /** Without it nobody signs in here: tokens come from elsewhere. */
  readonly signIn?: SignIn | undefined;
  /** Told of what people do; without it nobody is. */
  readonly activities?: ActivityOutbox | undefined;
  /** Origins whose pages may use the session cookie. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Default: 50 MB of JSON, 56 kB of a form. */
  readonly bodyLimits?: BodyLimits;
  readonly customizeErrorMessage?: CustomizeErrorMessage | undefined;
  /** Default: `defaultRequestLimits`. */
  readonly limits?: RequestLimits;
  readonly telemetry?: Telemetry | undefined;
  readonly logger: Logger;
  readonly random: Random;
}

/** What is in progress, and how much of it there may be. */
interface Load {
  readonly limits: RequestLimits;
  readonly observe: ObserveRequest | undefined;
  inProgress: number;
}

interface RequestFacts {
  readonly lease: StateLease | undefined;
  readonly abort: AbortController;
  readonly startedAt: number;
  readonly deadline: Deadline;
  claims?: AgentTokenClaims | undefined;
}

const longestIdLength = 8192;
const facts = new WeakMap<FastifyRequest, RequestFacts>();

/** The REST API as a Fastify application that is not listening yet. */
export function createRestServer(options: RestServerOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: () => options.random.uuid(),
    rewriteUrl: (request) => rewriteUrl(request, options),
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: longestIdLength,
      querystringParser: (text) => joinRepeated(parseQuery(text)),
    },
    frameworkErrors: (error, request, reply) => {
      reply.header(correlationHeader, request.id);
      sendText(reply, error.statusCode ?? 400);
    },
    return503OnClosing: false,
  });
  addBodyParsers(app, options.bodyLimits);
  app.setNotFoundHandler((request, reply) => {
    reply.header(correlationHeader, request.id);
    sendText(reply, 404);
  });
  app.register(async (mounted) => mountRoutes(mounted, options), { prefix: options.prefix });
  return app;
}

function mountRoutes(app: FastifyInstance, options: RestServerOptions): void {
  const load: Load = {
    limits: options.limits ?? defaultRequestLimits,
    observe: observeRequests(options.telemetry),
    inProgress: 0,
  };
  app.setReplySerializer((payload) => boundedJson(payload, load.limits.maxResponseSize));
  app.addHook('onRequest', async (request, reply) => beginRequest(request, reply, options, load));
  addHostBodies(app);
  app.addHook('onResponse', async (request, reply) => logResponse(request, reply, options.logger));
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, options));
  app.setNotFoundHandler((_request, reply) => sendText(reply, 404));
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { isPublic: route.isPublic === true },
      handler: (request, reply) => answerRequest(route, request, reply, options),
    });
  }
}

async function beginRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestServerOptions,
  load: Load,
): Promise<FastifyReply | undefined> {
  const lease = options.states.lease();
  const abort = new AbortController();
  const deadline = startDeadline(load.limits.requestTimeoutMs, () => abort.abort());
  const own: RequestFacts = { lease, abort, deadline, startedAt: performance.now() };
  facts.set(request, own);
  const route = request.routeOptions.url ?? options.prefix;
  const observed = load.observe?.({ method: request.method, route, correlationId: request.id });
  load.inProgress += 1;
  // The response closes last, whether it was sent in full or the client went away before.
  reply.raw.once('close', () => {
    lease?.release();
    deadline.end();
    load.inProgress -= 1;
    observed?.end(reply.statusCode);
    if (!reply.raw.writableFinished) abort.abort();
  });
  const cors = answerCors(request.method, request.headers, options.allowedOrigins);
  reply.headers({ ...cors.headers, [correlationHeader]: request.id });
  if (cors.isPreflight) return reply.code(204).send();
  if (load.inProgress > load.limits.concurrentRequests) {
    reply.header('retry-after', '1');
    throw tooManyRequests(load.limits.concurrentRequests);
  }
  if (!lease) return reply.code(200).send({ error: 'Agent is not started' });
  if (!('isPublic' in request.routeOptions.config && request.routeOptions.config.isPublic)) {
    own.claims = await options.tokens.verify(readToken(request.headers, options.allowedOrigins));
    await options.ipFilter?.check(request.raw.socket.remoteAddress, forwardedFor(request));
  }
  return undefined;
}

async function answerRequest(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestServerOptions,
): Promise<FastifyReply> {
  const { signal, deadline, claims, ...call } = callOf(request, options);
  const { method, id: requestId } = request;
  const reported = answerReported(route, call, options.activities, { method, requestId, claims });
  const answer = await deadline.before(reported);
  deadline.end();
  if (answer.body instanceof Readable) {
    if (request.method === 'HEAD') {
      // Nobody would read it, so nothing of it is made.
      answer.body.destroy();
      return reply
        .code(answer.status)
        .headers({ ...answer.headers })
        .send();
    }
    await openStreamBody(answer.body, signal, (error) =>
      options.logger.log('Error', 'A file could not be sent to its end.', { correlationId: request.id, error }),
    );
  }
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  for (const [name, value] of Object.entries(answer.trailers ?? {})) reply.trailer(name, async () => value());
  return answer.body === undefined ? reply.send() : reply.send(answer.body);
}

function callOf(
  request: FastifyRequest,
  options: RestServerOptions,
): RouteCall & Pick<RequestFacts, 'deadline' | 'claims'> & { readonly signal: AbortSignal } {
  const own = facts.get(request);
  if (!own?.lease) throw new TypeError('A request was routed before it was begun.');
  const { claims, abort } = own;
  const query = request.query as QueryParameters;
  return {
    params: request.params as Readonly<Record<string, string>>,
    query,
    headers: request.headers,
    body: request.body ?? {},
    state: own.lease.state,
    prefix: options.prefix,
    exportLimit: options.exportLimit,
    signIn: options.signIn,
    isSecure: isSecure(request),
    signal: abort.signal,
    deadline: own.deadline,
    claims,
    context: (defaultTimezone) => {
      if (!claims) throw new TypeError('A public route asked who calls.');
      const timezone = parseTimezone(query['timezone'] ?? defaultTimezone);
      return { caller: { ...claims, timezone, requestId: request.id }, signal: abort.signal };
    },
  };
}

function forwardedFor({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-forwarded-for'];
  return typeof header === 'string' ? header : header?.join(', ');
}

function isSecure({ raw, headers }: FastifyRequest): boolean {
  const isTls = 'encrypted' in raw.socket && raw.socket.encrypted === true;
  return isTls || headers['x-forwarded-proto'] === 'https';
}

function logResponse(request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  const status = reply.statusCode;
  const level = status >= 500 ? 'Error' : status >= 400 ? 'Warn' : 'Info';
  const startedAt = facts.get(request)?.startedAt;
  const durationMs = startedAt === undefined ? undefined : Math.round(performance.now() - startedAt);
  // The query may hold what people search for; the path says enough.
  const path = request.url.split('?', 1)[0];
  logger.log(level, `${request.method} ${path} ${status}`, { correlationId: request.id, status, durationMs });
}

function joinRepeated(parameters: NodeJS.Dict<string | string[]>): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(',');
  }
  return joined;
}

function rewriteUrl(request: IncomingMessage, { states, prefix }: RestServerOptions): string {
  const url = request.url ?? '/';
  const lease = states.lease();
  lease?.release();
  return lease ? encodeCollectionName(url, prefix, lease.state.model) : url;
}
