import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Health } from '#contracts/health';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { withoutSchemas } from '#node/http/fastify-without-schemas';
import { hostInUrl } from '#node/http/listen-on-port';
import { crossSiteRequest, isSentByOtherPage, requireOneHost } from '#node/http/request-guards';
import { compressJson } from './compress-json.ts';
import { cloudErrorOf, envelopeOf } from './error-mapper.ts';
import { isOfPublicApi, sendProblem, unavailableSeconds } from './problem-answers.ts';
import type { Certificate } from './team-options.ts';

const defaultBodyBytes = 1024 * 1024;
const requestTimeoutMs = 30_000;
/** Paths carry names of projects. A letter that is not ASCII takes up to 12 bytes there. */
const longestNameBytes = 2048;

export interface ServerOptions {
  readonly addresses: OwnAddresses;
  readonly logger: Logger;
  readonly random: Random;
  /** Serve https with it. */
  readonly tls?: Certificate;
  /** Whether a peer is a proxy that may say who its client is. Without it, no proxy is. */
  readonly isTrusted?: (address: string) => boolean;
  /** Called before anything else looks at a request. */
  readonly observe?: (server: FastifyInstance) => void;
  /** Throws for a request that must not be answered. */
  readonly check?: (request: FastifyRequest) => void;
}

const requestIdPattern = /^[\w.:/+=-]{1,128}$/;

/** The web server of the platform: what holds for every route. The services add theirs. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { addresses, logger, random, tls, isTrusted, observe, check } = options;
  const { fastify } = await import('fastify');
  const answer = (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => {
    const error = cloudErrorOf(thrown);
    const { status, body } = envelopeOf(error);
    // The answer does not say what is the matter here, so that the log has to.
    if (status >= 500)
      logger.log('Error', error.message, { code: error.code, requestId: request.id, ...remedyOf(error) });
    if (isOfPublicApi(request)) return sendProblem(request, reply, error);
    if (status === 503 || status === 429) reply.header('retry-after', String(unavailableSeconds));
    return reply.code(status).send(body);
  };

  const server = fastify({
    // A server with a certificate has the same routes and hooks.
    https: (tls ?? null) as null,
    trustProxy: isTrusted ?? false,
    // What a client calls its request is believed from a trusted proxy only.
    genReqId: ({ headers, socket }) => {
      const given = headers['x-request-id'];
      const isKnown = typeof given === 'string' && requestIdPattern.test(given);
      return isKnown && isTrusted?.(socket.remoteAddress ?? '') ? given : random.uuid();
    },
    bodyLimit: defaultBodyBytes,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: longestNameBytes },
    schemaController: withoutSchemas,
    frameworkErrors: (error, request, reply) => void answer(request, reply, error),
  });
  server.setErrorHandler((error, request, reply) => answer(request, reply, error));
  server.setNotFoundHandler((request, reply) => answer(request, reply, notFound(request.method)));
  observe?.(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    checkRequestIsOwn(request, addresses, tls ? 'https' : 'http');
    check?.(request);
  });
  server.addHook('onResponse', async (request, reply) => {
    logger.log('Debug', 'platform request', {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    });
  });
  compressJson(server);
  server.get('/health', async (): Promise<Health> => ({ status: 'ok', service: 'vendor-cloud-platform' }));
  return server;
}

function remedyOf({ kind, stack, nextSteps }: CloudError) {
  return kind === 'bug' ? { stack } : { nextSteps };
}

function notFound(method: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The platform has no such ${method} route.`,
    'Check the path and the method.',
    { wireName: 'UnknownRouteError' },
  );
}

/** What a server is called. */
interface OwnAddresses {
  readonly listenHost: string;
  /** Where it is reached through a proxy. */
  readonly publicOrigin: string | undefined;
}

/**
 * Lets through only requests that name this server and come from no other web page. A page in the developer's browser could
 * otherwise reach a server on loopback by a name it controls (DNS rebinding) or by a plain cross-site request. Browsers name no
 * origin with images, scripts and frames, which the last check is for.
 */
function checkRequestIsOwn(
  request: FastifyRequest,
  { listenHost, publicOrigin }: OwnAddresses,
  scheme: 'http' | 'https',
): void {
  requireOneHost(request.raw);
  const host = request.headers.host ?? '';
  const name = hostNameOf(`http://${host}`);
  const ownNames = [hostNameOf(`http://${hostInUrl(listenHost)}`), publicOrigin && hostNameOf(publicOrigin)];
  if (name === undefined || !(isLoopbackHost(name) || ownNames.includes(name))) {
    throw refused(
      'The request is addressed to a name this server does not have.',
      'Use the address the server printed when it started.',
    );
  }
  const { origin, cookie } = request.headers;
  const isPublicHost = publicOrigin !== undefined && host === new URL(publicOrigin).host;
  const direct = isPublicHost ? publicOrigin : `${scheme}://${host}`;
  if (origin !== undefined && origin !== direct && origin !== publicOrigin) {
    throw refused(
      'The request comes from a web page of another origin.',
      'Call the platform from a program instead of a web page.',
    );
  }
  if (cookie !== undefined && isSentByOtherPage(request.raw)) {
    throw crossSiteRequest('Open the address in a tab of its own, or call the platform from a program.');
  }
}

function hostNameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function refused(message: string, nextStep: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', message, nextStep);
}

/** The origin that a public address is, as browsers write it. Throws `PLATFORM_ADDRESS_INVALID` for anything more or else. */
export function parsePublicOrigin(publicUrl: string): string {
  const url = URL.parse(publicUrl);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  if (isOrigin) return url.origin;
  throw cloudError(
    'PLATFORM_ADDRESS_INVALID',
    'The public address of the platform is not an http or https origin.',
    'Give scheme, host and port only, such as https://platform.example.com.',
  );
}
