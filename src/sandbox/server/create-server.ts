import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Health } from '#contracts/health';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import { cloudErrorOf, envelopeOf } from './error-mapper.ts';
import { checkRequestIsOwn, type OwnAddresses } from './own-requests.ts';

const defaultBodyBytes = 1024 * 1024;
const requestTimeoutMs = 30_000;

/**
 * The web server of the platform: what holds for every route. The services add theirs.
 *
 * @param trustedProxies addresses, or ranges of them, of proxies that tell the truth about clients.
 */
export async function createServer(
  addresses: OwnAddresses,
  logger: Logger,
  trustedProxies: readonly string[] = [],
): Promise<FastifyInstance> {
  const { fastify } = await import('fastify');
  const answer = (reply: FastifyReply, thrown: unknown) => {
    const error = cloudErrorOf(thrown);
    const { status, body } = envelopeOf(error);
    // The answer does not say what is the matter here, so that the log has to.
    if (status >= 500) logger.log('Error', error.message, { code: error.code, ...remedyOf(error) });
    return reply.code(status).send(body);
  };

  const server = fastify({
    bodyLimit: defaultBodyBytes,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    forceCloseConnections: 'idle',
    frameworkErrors: (error, _request, reply) => answer(reply, error),
  });
  server.setErrorHandler((error, _request, reply) => answer(reply, error));
  server.setNotFoundHandler((request, reply) => answer(reply, notFound(request.method)));
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    checkRequestIsOwn(request, addresses);
  });
  server.addHook('onResponse', async (request, reply) => {
    logger.log('Debug', 'platform request', {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
  server.get('/health', async (): Promise<Health> => ({ status: 'ok', service: 'vendor-cloud-platform' }));
  return server;
}

function remedyOf({ kind, stack, nextSteps }: CloudError) {
  return kind === 'bug' ? { stack } : { nextSteps };
}

function notFound(method: string): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `The platform has no such ${method} route.`,
    nextSteps: ['Check the path and the method.'],
  });
}
