import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Logger } from '#kernel/ports/logger';
import type { StateInUse } from '../request/agent-state.ts';
import { type Deadline, type RequestLimits, startDeadline, tooManyRequests } from '../request/request-limits.ts';
import type { ObserveRequest } from '../request/telemetry.ts';
import { answerCors, correlationHeader } from './http/cors.ts';
import { readToken } from './read-token.ts';
import type { RestServerOptions } from './rest-server-options.ts';

/** What is in progress, and how much of it there may be. */
export interface Load {
  readonly limits: RequestLimits;
  readonly observe: ObserveRequest | undefined;
  inProgress: number;
}

/** What is known of a request from its first line on. */
export interface RequestFacts {
  readonly inUse: StateInUse | undefined;
  readonly abort: AbortController;
  readonly deadline: Deadline;
  claims?: AgentTokenClaims | undefined;
}

const factsKey = Symbol('facts');
type BegunRequest = FastifyRequest & { [factsKey]: RequestFacts | null };

/** Make room for the facts in the requests of a server. */
export function addRequestFacts(app: FastifyInstance): void {
  app.decorateRequest(factsKey, null);
}

export function factsOf(request: FastifyRequest): RequestFacts | null {
  return (request as BegunRequest)[factsKey];
}

/** Before the body of a request is read: who calls, and whether the agent takes the request on. */
export async function beginRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestServerOptions,
  load: Load,
): Promise<FastifyReply | undefined> {
  const inUse = options.states.acquire();
  const abort = new AbortController();
  const deadline = startDeadline(load.limits.requestTimeoutMs, () => abort.abort());
  const own: RequestFacts = { inUse, abort, deadline };
  (request as BegunRequest)[factsKey] = own;
  const startedAt = performance.now();
  const route = request.routeOptions.url ?? options.prefix;
  const observed = load.observe?.({ method: request.method, route, correlationId: request.id });
  load.inProgress += 1;
  const end = () => {
    inUse?.release();
    deadline.end();
    load.inProgress -= 1;
    observed?.end(reply.statusCode);
    if (reply.raw.writableFinished) logResponse(request, reply, performance.now() - startedAt, options.logger);
    else abort.abort();
  };
  // The response closes last, whether it was sent in full or the client went away; it may have gone before it came here.
  if (reply.raw.closed) end();
  else reply.raw.once('close', end);
  const cors = answerCors(request.method, request.headers, options.allowedOrigins);
  reply.headers(cors.headers).header(correlationHeader, request.id);
  if (cors.isPreflight) return reply.code(204).send();
  if (load.inProgress > load.limits.concurrentRequests) {
    reply.header('retry-after', '1');
    throw tooManyRequests(load.limits.concurrentRequests);
  }
  if (!inUse) return reply.code(200).send({ error: 'Agent is not started' });
  if (!('isPublic' in request.routeOptions.config && request.routeOptions.config.isPublic)) {
    own.claims = await options.tokens.verify(readToken(request.headers, options.allowedOrigins));
    await options.ipFilter?.check(request.raw.socket.remoteAddress, forwardedFor(request));
  }
  return undefined;
}

function logResponse(request: FastifyRequest, reply: FastifyReply, durationMs: number, logger: Logger): void {
  const status = reply.statusCode;
  const level = status >= 500 ? 'Error' : status >= 400 ? 'Warn' : 'Info';
  // The query may hold what people search for; the path says enough.
  const path = request.url.split('?', 1)[0];
  const details = { correlationId: request.id, status, durationMs: Math.round(durationMs) };
  logger.log(level, `${request.method} ${path} ${status}`, details);
}

function forwardedFor({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-forwarded-for'];
  return typeof header === 'string' ? header : header?.join(', ');
}
