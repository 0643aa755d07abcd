import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { parseQueryText } from '../request/query-parameters.ts';
import { boundedJson, defaultRequestLimits } from '../request/request-limits.ts';
import { encodeCollectionName } from './collection-in-path.ts';
import { RequestHandler } from './handle-request.ts';
import { readHostBody } from './host-body.ts';
import { correlationHeader } from './http/cors.ts';
import { addBodyParsers } from './request-body.ts';
import type { RestServerOptions } from './rest-server-options.ts';
import { routes } from './routes/index.ts';
import { sendError, sendText } from './send-error.ts';

const longestIdLength = 8192;
const hasNoBody: ReadonlySet<string> = new Set(['GET', 'HEAD']);

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
      querystringParser: parseQueryText,
    },
    frameworkErrors: (error, request, reply) => {
      reply.header(correlationHeader, request.id);
      sendText(reply, error.statusCode ?? 400);
    },
    return503OnClosing: false,
  });
  addBodyParsers(app, options.bodyLimits);
  // Where the prefix is empty nothing is outside of it, and the routes have their own.
  if (options.prefix !== '') {
    app.setNotFoundHandler((request, reply) => {
      reply.header(correlationHeader, request.id);
      sendText(reply, 404);
    });
  }
  app.register(async (mounted) => mountRoutes(mounted, options), { prefix: options.prefix });
  return app;
}

function mountRoutes(app: FastifyInstance, options: RestServerOptions): void {
  const { maxResponseSize } = options.limits ?? defaultRequestLimits;
  const handler = new RequestHandler(app, options);
  app.setReplySerializer((payload) => boundedJson(payload, maxResponseSize));
  app.addHook('onRequest', (request, reply) => handler.receive(request, reply));
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (hasNoBody.has(request.method)) done(null, payload);
    else readHostBody.call(app, request, reply, payload, done);
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, options));
  app.setNotFoundHandler((_request, reply) => sendText(reply, 404));
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      config: { isPublic: route.isPublic === true },
      handler: (request, reply) => handler.handle(route, request, reply),
    });
  }
}

function rewriteUrl(request: IncomingMessage, { states, prefix }: RestServerOptions): string {
  const url = request.url ?? '/';
  const state = states.current();
  return state ? encodeCollectionName(url, prefix, state.model) : url;
}
