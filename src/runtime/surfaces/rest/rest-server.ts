import type { RequestListener } from 'node:http';
import fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { createServer } from '#node/http/node-http';
import { withoutSchemas } from '#node/http/without-schemas';
import { parseQueryText } from '../request/query-parameters.ts';
import { defaultRequestLimits } from '../request/request-limits.ts';
import { RequestHandler } from './handle-request.ts';
import { correlationHeader } from './http/cors.ts';
import { addBodyParsers } from './request-body.ts';
import type { RequestFront, RestServerOptions } from './rest-server-options.ts';
import { routes } from './routes/index.ts';
import { sendError, sendText } from './send-error.ts';

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
