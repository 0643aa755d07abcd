import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidMount, type MountGate, requireMethod } from './mount-gate.ts';

/** The used parts of a Fastify request. */
interface FastifyHostRequest {
  readonly raw: IncomingMessage;
  /** The address before the application rewrote it. */
  readonly originalUrl: string;
}

/** The used parts of a Fastify reply. */
interface FastifyHostReply {
  readonly raw: ServerResponse;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  /** Tells the application not to send the reply itself. */
  hijack(): unknown;
}

/** An application of Fastify 5, before it is ready. */
export interface FastifyHost {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyHostRequest, reply: FastifyHostReply, done: () => void) => void,
  ): unknown;
}

/** The hook comes before the application reads a body, and before it finds that it has no such route. */
export function mountOnFastify(host: FastifyHost, gate: MountGate): void {
  const need = 'mountOnFastify needs an application of Fastify';
  requireMethod(host, 'addHook', need);
  // Paths without a route never come to the hooks of a plugin, whose instance is made of that of the application.
  if ('server' in Object.getPrototypeOf(host)) throw invalidMount(`${need} itself, not the instance of a plugin`);
  host.addHook('onRequest', ({ raw: request, originalUrl: url }, reply, done) => {
    if (!gate.covers(url)) return done();
    reply.hijack();
    const { raw: response } = reply;
    // Fastify keeps headers to itself until it sends a reply.
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    void gate.answer({ request, response, url, body: undefined });
  });
}
