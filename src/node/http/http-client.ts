import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Clock } from '#kernel/ports/clock';
import type { Http, HttpRequest, HttpResponse, HttpStreams } from '#kernel/ports/http';
import type { Random } from '#kernel/ports/random';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { DirectRequests } from './direct-requests.ts';
import {
  canPassOnRetry,
  type Destination,
  deadlinePassed,
  interrupted,
  isRefusedConnection,
  noAnswer,
} from './http-errors.ts';
import { createHttpStreams } from './http-streams.ts';
import { joinedHeaders } from './joined-headers.ts';
import { createTrustedConnector, trustThroughProxy } from './trusted-connector.ts';
import { usedProxies } from './used-proxies.ts';

export interface HttpOptions {
  /** Proxy of plain `http:` addresses; none when absent. */
  readonly httpProxy?: string | undefined;
  /** Proxy of `https:` addresses; none when absent. */
  readonly httpsProxy?: string | undefined;
  /** Hosts to reach without a proxy, separated by commas. This machine is always one of them. */
  readonly noProxy?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** An `Http` with connections of its own, kept alive between calls. */
export interface HttpClient extends Http, HttpStreams {
  /** Close the connections and give up the requests that still run. */
  close(): Promise<void>;
}

/** Rejects where no answer comes. */
type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

const defaultDeadlineMs = 10_000;
const maxResponseBytes = 64 * 1024 * 1024;
const firstPauseMs = 100;
const longestPauseMs = 2_000;
const retriedStatuses = new Set([502, 503, 504]);
/** A server that is started again refuses connections for about so long. Where it goes on, nothing listens there. */
const refusedPatienceMs = 1_000;

/**
 * Outbound HTTP: through a proxy over undici, else over the client of Node.js. Either is loaded at the first call. Certificates are
 * checked against the authorities of Node.js, of `NODE_EXTRA_CA_CERTS` and of the system.
 */
export function createHttp(options: HttpOptions): HttpClient {
  const proxies = usedProxies(options);
  const hasNoProxy = proxies.httpProxy === '' && proxies.httpsProxy === '';
  let dispatcher: Promise<Dispatcher> | undefined;
  let direct: Promise<DirectRequests> | undefined;
  const send: Send = async (request, signal) => {
    if (hasNoProxy || isLoopbackHost(new URL(request.url).hostname)) {
      direct ??= openDirectRequests();
      return (await direct).send(request, signal);
    }
    dispatcher ??= openDispatcher(options);
    return sendByDispatcher(await dispatcher, request, signal);
  };
  const streams = createHttpStreams(proxies);
  return {
    send: (request) => sendUntilDeadline(request, send, options),
    open: streams.open,
    close: async () => {
      await streams.close();
      await (await dispatcher)?.destroy();
      (await direct)?.close();
      dispatcher = undefined;
      direct = undefined;
    },
  };
}

async function openDirectRequests(): Promise<DirectRequests> {
  const { createDirectRequests } = await import('./direct-requests.ts');
  return createDirectRequests(maxResponseBytes);
}

async function openDispatcher(options: HttpOptions): Promise<Dispatcher> {
  const { buildConnector, EnvHttpProxyAgent } = await import('undici');
  const proxies = usedProxies(options);
  return new EnvHttpProxyAgent({
    ...proxies,
    ...trustThroughProxy(proxies),
    connect: createTrustedConnector(buildConnector),
    maxResponseSize: maxResponseBytes,
  });
}

async function sendUntilDeadline(
  request: HttpRequest,
  send: Send,
  { clock, random }: HttpOptions,
): Promise<HttpResponse> {
  const destination: Destination = { method: request.method, host: new URL(request.url).host };
  const deadlineMs = request.deadlineMs ?? defaultDeadlineMs;
  const start = clock.monotonicMs();
  const deadline = AbortSignal.timeout(deadlineMs);
  const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
  const giveUp = (cause: unknown) =>
    request.signal?.aborted ? interrupted(destination, cause) : deadlinePassed(destination, deadlineMs, cause);

  for (let attempt = 0; ; attempt++) {
    const outcome = await outcomeOf(send(request, signal));
    if (signal.aborted && 'error' in outcome) throw giveUp(outcome.error);
    const pauseMs = pauseBefore(attempt + 1, random);
    // When no time is left for another try, the caller learns more from what the server said.
    const patienceMs = 'error' in outcome && isRefusedConnection(outcome.error) ? refusedPatienceMs : deadlineMs;
    const mayRepeat = request.isRepeatable === true && clock.monotonicMs() + pauseMs < start + patienceMs;
    if ('response' in outcome) {
      if (!mayRepeat || !retriedStatuses.has(outcome.response.status)) return outcome.response;
    } else if (!mayRepeat || !canPassOnRetry(outcome.error)) {
      throw noAnswer(destination, outcome.error);
    }
    try {
      await delay(pauseMs, undefined, { signal });
    } catch (cause) {
      throw giveUp(cause);
    }
  }
}

async function outcomeOf(
  sending: Promise<HttpResponse>,
): Promise<{ readonly response: HttpResponse } | { readonly error: unknown }> {
  try {
    return { response: await sending };
  } catch (error) {
    return { error };
  }
}

async function sendByDispatcher(
  dispatcher: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const url = new URL(request.url);
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { ...request.headers },
    body: request.body ?? null,
    signal,
  });
  return { status: answer.statusCode, headers: joinedHeaders(answer.headers), body: await answer.body.bytes() };
}

/** Exponential back-off with full jitter, so that many clients do not come back at the same moment. */
function pauseBefore(attempt: number, random: Random): number {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  const fraction = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  return Math.round(ceiling * (0.25 + 0.75 * fraction));
}
