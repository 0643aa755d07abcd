import type { IncomingMessage, ServerResponse } from 'node:http';
import { UnderWay } from '#kernel/async/under-way';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { rememberHostBody } from '../request/request-bodies.ts';

/** A request of a host application that is for the agent. */
interface HandedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query as the client sent them, with the parts that routers of the host have cut off. */
  readonly url: string;
  /** The parsed body, if a parser of the host has read it. */
  readonly body: unknown;
}

interface InFlight {
  readonly response: ServerResponse;
  readonly closed: Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Takes the requests of all host applications of an agent. */
export interface MountGate {
  /** Whether a request is for the agent; the host answers any other. */
  covers(url: string): boolean;
  /** Take further requests, beside those below the prefix. */
  claim(isOurs: (url: string) => boolean): void;
  /** Answer a request for the agent. Resolves when the response is sent, or the client has gone away. */
  answer(handed: HandedRequest): Promise<void>;
  /** Answer requests with `answer` from now on. */
  open(answer: Answer): void;
  /** Say that the agent is not started, as before the first `open`. */
  close(): void;
  /** Wait for the requests in flight, and cut those that take longer than `drainMs`. */
  drain(drainMs: number): Promise<void>;
}

export function createMountGate(prefix: string): MountGate {
  const inFlight = new UnderWay<InFlight>();
  let current: Answer = answerNotStarted;
  let isClaimed = (_url: string) => false;
  return {
    covers: (url) => isBelowPrefix(url, prefix) || isClaimed(url),
    claim: (isOurs) => {
      isClaimed = isOurs;
    },
    answer: ({ request, response, url, body }) => {
      // The client went away while the host was busy with the request: its `close` event is past.
      if (response.closed) return Promise.resolve();
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      const answered = { response, closed };
      inFlight.add(answered);
      response.once('close', () => {
        inFlight.delete(answered);
        resolve();
      });
      request.url = url;
      rememberHostBody(request, body);
      current(request, response);
      return closed;
    },
    open: (answer) => {
      current = answer;
    },
    close: () => {
      current = answerNotStarted;
    },
    drain: async (drainMs) => {
      const draining = [...inFlight];
      const cut = setTimeout(() => {
        for (const { response } of draining) response.destroy();
      }, drainMs);
      await Promise.all(draining.map(({ closed }) => closed));
      clearTimeout(cut);
    },
  };
}

/** The REST API answers the same once it is loaded and has nothing to serve. */
function answerNotStarted(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ error: 'Agent is not started' }));
}

/**
 * Whether an address, as it is in a request line, is the prefix or below it. Parts are compared as the router of the
 * agent does: in any case, and percent-encoded or not.
 */
export function isBelowPrefix(url: string, prefix: string): boolean {
  const parts = partsOf(url);
  return partsOf(prefix).every((part, index) => decoded(parts[index]) === part.toLowerCase());
}

/** `/service/orders?x=1` → `service`, `orders`; an address may also come with its origin, through a proxy. */
function partsOf(url: string): readonly string[] {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path.split('/').slice(1);
}

function decoded(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part).toLowerCase();
  } catch {
    // The text is not a valid encoding, so it matches no part of the prefix.
    return undefined;
  }
}

/** Refuse a host that is not an application of its framework. Throws `AGENT_MOUNT_INVALID`. */
export function requireMethod(host: unknown, method: string, need: string): void {
  const found: unknown = Object(host)[method];
  if (typeof found !== 'function') throw invalidMount(`${need}, and what it was given has no method "${method}"`);
}

export function invalidMount(problem: string): CloudError {
  return cloudError(
    'AGENT_MOUNT_INVALID',
    `${problem}.`,
    'Hand over the application itself, before it is initialised, to the mount method of its framework.',
  );
}
