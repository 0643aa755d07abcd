import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { UnderWay } from '#kernel/async/under-way';
import type { ReverseProxy, ReverseProxyOptions, ServerBehind } from '#kernel/ports/reverse-proxy';
import { listenOnPort, stopServer } from './listen-on-port.ts';
import { Agent, createServer, request } from './node-http.ts';

/** Seconds after which a client is asked to try again. */
const retryAfterSeconds = 1;
/** How long a request waits for a server. Starting one takes less, unless the machine is very busy. */
const longestWaitMs = 60_000;
/** How long a request waits for the successor of a server that is outdated. */
const outdatedWaitMs = 10_000;
/** They belong to one connection, and the proxy has two. */
const ownHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'expect']);

/** Listen, and hand requests on. Bodies are streamed both ways, and headers keep their order and their letters. */
export async function openReverseProxy(options: ReverseProxyOptions): Promise<ReverseProxy> {
  const { host, port, lostAnswer, isOutdated = () => false } = options;
  const refusal = JSON.stringify(lostAnswer);
  const waiting = new UnderWay<(behind: Behind | undefined) => void>();
  let current: Behind | undefined;

  const next = (response: ServerResponse, longestMs: number) =>
    new Promise<Behind | undefined>((resolve) => {
      const settle = (behind: Behind | undefined) => {
        waiting.delete(settle);
        clearTimeout(timer);
        resolve(behind);
      };
      const timer = setTimeout(settle, longestMs, undefined);
      response.once('close', () => settle(undefined));
      waiting.add(settle);
    });

  const handle = async (asked: IncomingMessage, response: ServerResponse) => {
    const behind = current ?? (await next(response, longestWaitMs));
    if (!behind) return refuse(response, refusal);
    behind.carry(asked, response, async (answer) => {
      if (!isOutdated(answer)) return false;
      const later = current === behind ? await next(response, outdatedWaitMs) : current;
      // Only its client knows whether a write may be sent twice. It has the answer now, when its next request will be right.
      if (asked.method !== 'GET') return false;
      later?.carry(asked, response);
      return later !== undefined;
    });
  };
  const server = createServer((asked, response) => void handle(asked, response));

  return {
    port: await listenOnPort(server, host, port),
    handTo: (portBehind) => {
      const behind = new Behind(portBehind, refusal, () => {
        if (current === behind) current = undefined;
      });
      current = behind;
      for (const settle of waiting) settle(behind);
      return behind;
    },
    stop: async (drainMs) => {
      for (const settle of waiting) settle(undefined);
      await stopServer(server, drainMs);
    },
  };
}

class Behind implements ServerBehind {
  readonly #port: number;
  readonly #refusal: string;
  readonly #onLost: () => void;
  readonly #agent = new Agent({ keepAlive: true });
  /** What ends each request in flight, for when the server is lost. */
  readonly #inFlight = new UnderWay<() => void>();
  #tellIdle: () => void = () => undefined;

  constructor(port: number, refusal: string, onLost: () => void) {
    this.#port = port;
    this.#refusal = refusal;
    this.#onLost = onLost;
  }

  /** @param again takes the body of a 503, and resolves to whether another server carries the request now. */
  carry(asked: IncomingMessage, response: ServerResponse, again?: (answer: string) => Promise<boolean>): void {
    const { method, url: path } = asked;
    const headers = ofBothConnections(asked.rawHeaders);
    const carried = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent });
    const fail = () => {
      asked.unpipe(carried);
      carried.destroy();
      refuse(response, this.#refusal);
    };
    const leave = () => {
      response.off('close', leave);
      carried.destroy();
      this.#inFlight.delete(fail);
      if (this.#inFlight.size === 0) this.#tellIdle();
    };
    this.#inFlight.add(fail);
    response.once('close', leave);
    carried.on('error', fail);
    carried.once('response', (answer) => {
      answer.on('error', () => response.destroy());
      if (again && answer.statusCode === 503) void this.#tryAgain(answer, response, again, leave);
      else pass(answer, response);
    });
    // One that is carried for the second time has been read to its end.
    if (asked.readableEnded) carried.end();
    else asked.pipe(carried);
  }

  async #tryAgain(
    answer: IncomingMessage,
    response: ServerResponse,
    again: (answer: string) => Promise<boolean>,
    leave: () => void,
  ): Promise<void> {
    const body = await buffer(answer).catch(() => undefined); // The answer was cut: its error ends the response.
    if (body === undefined) return;
    leave();
    if (await again(body.toString())) return;
    response.writeHead(503, answer.statusMessage, ofBothConnections(answer.rawHeaders));
    response.end(body);
  }

  whenIdle(): Promise<void> {
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#tellIdle = resolve;
    });
  }

  lose(): void {
    this.#onLost();
    for (const fail of this.#inFlight) fail();
    this.#agent.destroy();
  }
}

/** Hand an answer out as it comes. */
function pass(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, ofBothConnections(answer.rawHeaders));
  // A stream may have nothing to say for a while, and its client wants to know that it is open.
  if (answer.headers['content-length'] === undefined) response.flushHeaders();
  answer.pipe(response);
}

/** Names and values in turn, as they came. */
function ofBothConnections(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_text, index) => {
    const name = rawHeaders[index - (index % 2)] ?? '';
    return !ownHeaders.has(name.toLowerCase());
  });
}

function refuse(response: ServerResponse, body: string): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(retryAfterSeconds),
    // A page of another origin may read why.
    'access-control-allow-origin': '*',
  });
  response.end(body);
}
