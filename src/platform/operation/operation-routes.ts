import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Readiness } from '#contracts/health';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { isSameSecret } from '#node/system/same-secret';
import { isLoopbackAddress } from './loopback.ts';
import type { Metrics } from './metrics.ts';
import type { ReadinessCheck } from './readiness.ts';

/** `/ready` for load balancers. */
export function registerReadiness(server: FastifyInstance, readiness: ReadinessCheck): void {
  server.get('/ready', async (_request, reply): Promise<Readiness> => {
    const answer = await readiness.check();
    if (answer.status !== 'ready') reply.code(503);
    return answer;
  });
}

/** `/metrics` for a monitor: with the bearer token, or from this machine without a proxy in between. */
export function registerMetrics(server: FastifyInstance, metrics: Metrics, token: string | undefined): void {
  server.get('/metrics', async (request, reply) => {
    if (!(token !== undefined && hasToken(request, token)) && !isDirect(request)) throw refused(token !== undefined);
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}

function hasToken({ headers }: FastifyRequest, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  return given !== undefined && isSameSecret(given, token);
}

/** A proxy on this machine connects from loopback as well, but it names its client or the public host. */
function isDirect({ raw, headers }: FastifyRequest): boolean {
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
  const name = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  return !isForwarded && isLoopbackAddress(raw.socket.remoteAddress ?? '') && isLoopbackHost(name);
}

function refused(hasConfiguredToken: boolean): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The metrics are for the monitor alone.',
    hasConfiguredToken
      ? 'Send the value of SERVICE_METRICS_TOKEN as a bearer token.'
      : 'Start the platform with SERVICE_METRICS_TOKEN and send that as a bearer token, or ask from its own machine.',
  );
}
