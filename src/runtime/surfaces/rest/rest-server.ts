import type { RequestListener } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactory } from 'fastify';
import fastify from 'fastify';
import { withoutSchemas } from '#node/http/fastify-without-schemas';
import { createServer, STATUS_CODES } from '#node/http/node-http';
import { type PublicErrorOptions, publicErrorsOf } from '../request/public-error.ts';
import { parseQueryText } from '../request/query-parameters.ts';
import { addBodyParsers, BodyUnreadable } from '../request/request-bodies.ts';
import { defaultRequestLimits } from '../request/request-limits.ts';
import { correlationHeader } from './call/http-headers.ts';
import { PathUnknown } from './call/route.ts';
import { RequestHandler } from './handle-request.ts';
import type { RequestFront, RestServerOptions } from './rest-server-options.ts';
import { routes } from './routes/index.ts';

const longestIdLength = 8192;

/** The REST API as a Fastify application that is not listening yet. */
export function createRestServer(options: RestServerOptions): FastifyInstance {
  const handler = new RequestHandler(options);
  const app = fastify({
    logger: false,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    genReqId: handler.newRequestId,
    rewriteUrl: handler.routedUrl,
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: longestIdLength,
      querystringParser: parseQueryText,
    },
    frameworkErrors: (error, request, reply) => {
      reply.header(correlationHeader, request.id);
      sendText(reply, error.statusCode ?? 400);
    },
    // The limit also holds for requests without a route, such as a body for an unknown path.
    requestTimeout: (options.limits ?? defaultRequestLimits).requestTimeoutMs,
    return503OnClosing: false,
    schemaController: withoutSchemas,
    ...(options.front ? { serverFactory: serverBehind(options.front) } : {}),
  });
  addBodyParsers(app, options.bodyLimits);
  // With an empty prefix nothing lies outside of it, and the routes have their own handler.
  if (options.prefix !== '') {
    app.setNotFoundHandler((request, reply) => {
      reply.header(correlationHeader, request.id);
      sendText(reply, 404);
    });
  }
  app.register(async (mounted) => mountRoutes(mounted, handler, options), { prefix: options.prefix });
  return app;
}

/** The requests that the front does not cover reach `answer`. */
export function answerBehind(front: RequestFront, answer: RequestListener): RequestListener {
  return (request, response) => {
    if (front.covers(request.url ?? '/')) front.answer(request, response);
    else answer(request, response);
  };
}

/** A server whose requests the front sees first. Its settings are those that the framework gives to its own. */
function serverBehind(front: RequestFront): FastifyServerFactory {
  return (handler, { keepAliveTimeout, requestTimeout }) =>
    Object.assign(createServer(answerBehind(front, handler)), { keepAliveTimeout, requestTimeout });
}

function mountRoutes(app: FastifyInstance, handler: RequestHandler, options: RestServerOptions): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, options));
  app.setNotFoundHandler((_request, reply) => sendText(reply, 404));
  handler.handleRequestsOf(app, routes);
}

/** Answer with the error envelope, or as plain text where no route has seen the request. */
function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, options: PublicErrorOptions): void {
  const { logger } = options;
  if (request.raw.destroyed && !request.raw.complete) {
    // The client broke off in the middle of a body. It reads no answer, and there is no error to log.
    logger.log('Info', 'A client went away before its request had come.', { correlationId: request.id });
    sendText(reply, 400);
    return;
  }
  const textStatus = plainTextStatus(error);
  if (textStatus !== undefined) {
    sendText(reply, textStatus);
    return;
  }
  const errors = publicErrorsOf(error, options, request.id);
  const [answer] = errors;
  const wait = answer.data?.['retryAfterSeconds'];
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  reply.code(answer.status).send({ errors });
}

function sendText(reply: FastifyReply, status: number): void {
  reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(STATUS_CODES[status] ?? 'Error');
}

function plainTextStatus(error: unknown): number | undefined {
  if (error instanceof PathUnknown) return 404;
  if (error instanceof BodyUnreadable) return error.statusCode;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('statusCode' in error)) return undefined;
  const { code, statusCode } = error;
  // Errors that the framework finds itself: a body that is too large, or a wrong length.
  const isFrameworks = typeof code === 'string' && code.startsWith('FST_ERR_');
  return isFrameworks && typeof statusCode === 'number' && statusCode < 500 ? statusCode : undefined;
}
