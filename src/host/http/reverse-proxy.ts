import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReverseProxy, ReverseProxyOptions, ServerBehind } from '#kernel/ports/reverse-proxy';
import { listenOnPort } from './listen-on-port.ts';
import { Agent, createServer, request } from './node-http.ts';
import { stopServer } from './stop-server.ts';

/** Seconds after which a client is asked to try again. */
const retryAfterSeconds = 1;
/** How long a request waits for a server. Starting one takes less, unless the machine is very busy. */
const longestWaitMs = 60_000;
/** They belong to one connection, and the proxy has two. */
const ownHeaders: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'expect']);

/** Listen, and hand requests on. Bodies are streamed both ways, and headers keep their order and their letters. */
export async function openReverseProxy({ host, port, lostAnswer }: ReverseProxyOptions): Promise<ReverseProxy> {
  const refusal = JSON.stringify(lostAnswer);
  const waiting = new Set<(behind: Behind | undefined) => void>();
  let current: Behind | undefined;

  const next = (response: ServerResponse) =>
    new Promise<Behind | undefined>((resolve) => {
      const settle = (behind: Behind | undefined) => {
        waiting.delete(settle);
        clearTimeout(timer);
        resolve(behind);
      };
      const timer = setTimeout(settle, longestWaitMs, undefined);
      response.once('close', () => settle(undefined));
      waiting.add(settle);
    });

  const handle = async (asked: IncomingMessage, response: ServerResponse) => {
    const behind = current ?? (await next(response));
    if (behind) behind.carry(asked, response);
    else refuse(response, refusal);
  };
  const server = createServer((asked, response) => void handle(asked, response));

  return {
    port: await listenOnPort(server, host, port),
    handTo: (portBehind) => {
      const behind = new Behind(portBehind, refusal, () => {
        if (current === behind) current = undefined;
      });
      current = behind;
      for (const settle of [...waiting]) settle(behind);
      return behind;
    },
    stop: async (drainMs) => {
      for (const settle of [...waiting]) settle(undefined);
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
  readonly #inFlight = new Set<() => void>();
  #tellIdle: () => void = () => undefined;

  constructor(port: number, refusal: string, onLost: () => void) {
    this.#port = port;
    this.#refusal = refusal;
    this.#onLost = onLost;
  }

  carry(asked: IncomingMessage, response: ServerResponse): void {
    const { method, url: path } = asked;
    const headers = ofBothConnections(asked.rawHeaders);
    const carried = request({ host: '127.0.0.1', port: this.#port, method, path, headers, agent: this.#agent });
    const fail = () => {
      asked.unpipe(carried);
      carried.destroy();
      refuse(response, this.#refusal);
    };
    this.#inFlight.add(fail);
    response.once('close', () => {
      carried.destroy();
      this.#inFlight.delete(fail);
      if (this.#inFlight.size === 0) this.#tellIdle();
    });
    carried.on('error', fail);
    carried.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, ofBothConnections(answer.rawHeaders));
      // A stream may have nothing to say for a while, and its client wants to know that it is open.
      if (answer.headers['content-length'] === undefined) response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    asked.pipe(carried);
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
