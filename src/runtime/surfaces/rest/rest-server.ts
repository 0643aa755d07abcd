import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { boundedJson, defaultRequestLimits } from '../request/request-limits.ts';
import { observeRequests } from '../request/telemetry.ts';
import { addRequestFacts, beginRequest, type Load } from './begin-request.ts';
import type { Route } from './call/route.ts';
import { encodeCollectionName } from './collection-in-path.ts';
import { addHostBodies } from './host-body.ts';
import { correlationHeader } from './http/cors.ts';
import { parseQueryText } from './query-parser.ts';
import { answerReported } from './report-activity.ts';
import { addBodyParsers } from './request-body.ts';
import type { RestServerOptions } from './rest-server-options.ts';
import { callOf } from './route-call.ts';
import { routes } from './routes/index.ts';
import { sendError, sendText } from './send-error.ts';
import { openStreamBody } from './stream-body.ts';

const longestIdLength = 8192;

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
  const load: Load = {
    limits: options.limits ?? defaultRequestLimits,
    observe: observeRequests(options.telemetry, options.logger),
    inProgress: 0,
  };
  addRequestFacts(app);
  app.setReplySerializer((payload) => boundedJson(payload, load.limits.maxResponseSize));
  app.addHook('onRequest', async (request, reply) => beginRequest(request, reply, options, load));
  addHostBodies(app);
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

async function answerRequest(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestServerOptions,
): Promise<FastifyReply> {
  const { call, signal, deadline, claims } = callOf(request, options);
  const { method, id: requestId } = request;
  const reported = answerReported(route, call, options.activities, { method, requestId, claims, signal });
  const answer = await deadline.before(reported);
  if (answer.body instanceof Readable) {
    if (request.method === 'HEAD') {
      // Nobody would read it, so nothing of it is made.
      answer.body.destroy();
      return reply
        .code(answer.status)
        .headers({ ...answer.headers })
        .send();
    }
    const opened = openStreamBody(answer.body, signal, (error) =>
      options.logger.log('Error', 'A file could not be sent to its end.', { correlationId: request.id, error }),
    );
    await deadline.before(opened);
  }
  deadline.end();
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  for (const [name, value] of Object.entries(answer.trailers ?? {})) reply.trailer(name, async () => value());
  return answer.body === undefined ? reply.send() : reply.send(answer.body);
}

function rewriteUrl(request: IncomingMessage, { states, prefix }: RestServerOptions): string {
  const url = request.url ?? '/';
  const state = states.current();
  return state ? encodeCollectionName(url, prefix, state.model) : url;
}
