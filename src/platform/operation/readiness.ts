import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Readiness } from '#contracts/health';
import { type CloudError, cloudError, toCloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { isSameSecret } from '#node/system/secrets';
import { isLoopbackAddress } from '../server/address-ranges.ts';
import { migrations } from '../store/migrations/index.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

/** Whether the platform may be sent requests. */
export interface ReadinessCheck {
  check(): Promise<Readiness>;
  /** From now on it may not. */
  beginStop(): void;
}

/** A probe waits for no longer, and neither does its answer. */
const patienceMs = 2_000;

export function createReadinessCheck(store: Store): ReadinessCheck {
  let isStopping = false;
  const notReady = (reason: string): Readiness => ({ status: 'not-ready', reason });
  return {
    beginStop() {
      isStopping = true;
    },
    async check() {
      if (isStopping) return notReady('The platform is stopping.');
      const ending = new AbortController();
      const silence = setTimeout(patienceMs, undefined, { signal: ending.signal }).catch(() => undefined);
      try {
        const version = await Promise.race([readStoreVersion(store), silence]);
        if (version === undefined) return notReady('The store does not answer.');
        if (version === migrations.length) return { status: 'ready' };
        return notReady(
          `The store has version ${version}, and this process knows ${migrations.length}: install the same version of vendor-cloud everywhere.`,
        );
      } catch (error) {
        // Its message may name machines, and anybody may ask.
        return notReady(`The store cannot be used (${toCloudError(error).code}).`);
      } finally {
        ending.abort();
      }
    },
  };
}

async function readStoreVersion({ db, engine }: Store): Promise<number> {
  if (engine === 'postgres') {
    const { version } = await db.selectFrom('storeVersion').select('version').executeTakeFirstOrThrow();
    return version;
  }
  const { rows } = await sql<{ version: number }>`select user_version as version from pragma_user_version`.execute(db);
  return rows[0]?.version ?? 0;
}

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
    'The metrics are for the monitor only.',
    hasConfiguredToken
      ? 'Send the value of SERVICE_METRICS_TOKEN as a bearer token.'
      : 'Start the platform with SERVICE_METRICS_TOKEN and send that as a bearer token, or ask from its own machine.',
  );
}
