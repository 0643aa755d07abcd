import type { Dispatcher } from 'undici';
import type { HttpStream, HttpStreamRequest, HttpStreams } from '#kernel/ports/http';
import { type Destination, deadlinePassed, interrupted, noAnswer } from './http-errors.ts';
import { joinedHeaders } from './joined-headers.ts';
import { createTrustedConnector, trustThroughProxy } from './trusted-connector.ts';
import type { UsedProxies } from './used-proxies.ts';

/**
 * Limits the wait for the connection and the head of the answer. The reader of the body decides how long the body may
 * be silent.
 */
const headDeadlineMs = 10_000;

/** Opens streams. Each has a connection of its own, which is used once. */
export function createHttpStreams(proxies: UsedProxies): HttpStreams & { close(): Promise<void> } {
  let dispatcher: Promise<Dispatcher> | undefined;
  return {
    open: (request) => {
      dispatcher ??= openDispatcher(proxies);
      return openStream(dispatcher, request);
    },
    close: async () => {
      await (await dispatcher)?.destroy();
      dispatcher = undefined;
    },
  };
}

async function openDispatcher(proxies: UsedProxies): Promise<Dispatcher> {
  const { buildConnector, EnvHttpProxyAgent } = await import('undici');
  const connect = createTrustedConnector(buildConnector);
  return new EnvHttpProxyAgent({
    ...proxies,
    ...trustThroughProxy(proxies),
    bodyTimeout: 0,
    // A stream is open as long as the process lives, and must not keep the process alive.
    connect: (options, done) =>
      connect(options, (...outcome) => {
        outcome[1]?.unref();
        done(...outcome);
      }),
  });
}

async function openStream(opening: Promise<Dispatcher>, request: HttpStreamRequest): Promise<HttpStream> {
  const url = new URL(request.url);
  const destination: Destination = { method: 'GET', host: url.host };
  const head = new AbortController();
  const deadline = setTimeout(() => head.abort(), headDeadlineMs).unref();
  const failed = (cause: unknown) => {
    if (request.signal.aborted) return interrupted(destination, cause);
    return head.signal.aborted ? deadlinePassed(destination, headDeadlineMs, cause) : noAnswer(destination, cause);
  };
  try {
    const dispatcher = await opening;
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { ...request.headers },
      signal: AbortSignal.any([request.signal, head.signal]),
      reset: true,
    });
    return {
      status: answer.statusCode,
      headers: joinedHeaders(answer.headers),
      body: bodyOf(answer.body, failed),
    };
  } catch (error) {
    throw failed(error);
  } finally {
    clearTimeout(deadline);
  }
}

async function* bodyOf(body: AsyncIterable<unknown>, failed: (cause: unknown) => Error): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw failed(error);
  }
}
