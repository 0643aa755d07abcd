import type { Agent as HttpAgent, IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { HttpRequest, HttpResponse } from '#kernel/ports/http';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { trustedContext } from '../system/trusted-authorities.ts';
import { joinedHeaders } from './joined-headers.ts';
import { Agent, request as requestPlain } from './node-http.ts';

/** How long a connection may take, and how long one waits for another request. A server closes its end some time later. */
const limits = { connectMs: 10_000, idleMs: 4_000 };

export interface DirectRequests {
  /** Rejects with what Node.js says, and for an answer with more than `maxResponseBytes` with `ERR_RESPONSE_TOO_LARGE`. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  close(): void;
}

/**
 * Requests without a proxy, by the HTTP client of Node.js. undici has its parser as WebAssembly, which each process compiles again.
 * So the first request of a command costs seven times as much with it.
 */
export function createDirectRequests(maxResponseBytes: number): DirectRequests {
  // An idle connection closes by itself. To open one costs more than many a request.
  const options = { keepAlive: true, timeout: limits.idleMs, maxFreeSockets: Number.POSITIVE_INFINITY };
  const plain = new Agent(options);
  const secure = new Map<object, HttpAgent>();
  const secureAgent = (https: typeof import('node:https')) => {
    const secureContext = trustedContext();
    const agent = secure.get(secureContext) ?? new https.Agent({ ...options, secureContext });
    secure.set(secureContext, agent);
    return agent;
  };
  const open = (url: URL, { method, headers, body }: HttpRequest, signal: AbortSignal) => {
    // Node.js would send a user of the address along: what proves who asks is a header.
    const { auth: _user, ...place } = urlToHttpOptions(url);
    // Node.js tells no length of the body of a DELETE, and the server takes it for another request.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const wanted = { ...place, method, headers: { ...headers, ...length }, signal };
    if (url.protocol !== 'https:') return requestPlain({ ...wanted, agent: plain });
    const https = process.getBuiltinModule('node:https');
    return https.request({ ...wanted, agent: secureAgent(https) });
  };
  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        const url = new URL(request.url);
        const sent = open(url, request, signal);
        sent.once('error', reject);
        sent.once('response', (answer) => void responseOf(answer, maxResponseBytes).then(resolve, reject));
        // A server of this machine takes a connection late where the machine is busy: the deadline of the request counts.
        if (!isLoopbackHost(url.hostname)) limitConnecting(sent);
        sent.end(request.body);
      }),
    close() {
      for (const agent of [plain, ...secure.values()]) agent.destroy();
      secure.clear();
    },
  };
}

type SentRequest = ReturnType<typeof requestPlain>;

function limitConnecting(sent: SentRequest): void {
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const late = Object.assign(new Error('No connection came about in time.'), { code: 'ETIMEDOUT' });
    const timer = setTimeout(() => sent.destroy(late), limits.connectMs);
    for (const end of ['connect', 'close']) socket.once(end, () => clearTimeout(timer));
  });
}

async function responseOf(answer: IncomingMessage, maxBytes: number): Promise<HttpResponse> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw Object.assign(new Error('The answer is too large.'), { code: 'ERR_RESPONSE_TOO_LARGE' });
    }
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, headers: joinedHeaders(answer.headers), body: Buffer.concat(chunks) };
}
