import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { formatPlatformEvent, heartbeatMs, type PlatformEvent, subscribePath } from '#contracts/platform-events';
import type { Guards } from '../server/guards.ts';
import type { EventHub } from './event-hub.ts';

/** An agent that has not read so much is gone, or as good as. */
const maxUnreadBytes = 64 * 1024;
const streamHeaders = { 'content-type': 'text/event-stream', connection: 'close', 'x-accel-buffering': 'no' };

/** The stream of events an agent listens to; it ends when the agent goes away or the platform stops. */
export function registerEventRoutes(server: FastifyInstance, guards: Guards, events: EventHub): void {
  const endings = new Set<() => void>();
  server.addHook('preClose', async () => {
    for (const end of endings) end();
  });

  // HEAD would open a stream as well: one that nobody reads, and that never ends.
  const options = { onRequest: guards.environment.check, exposeHeadRoute: false };
  server.get(subscribePath, options, async (request, reply) => {
    const stream = new Readable({ read: () => undefined });
    const send = (event: PlatformEvent) => {
      if (stream.destroyed) return;
      stream.push(formatPlatformEvent(event));
      if (stream.readableLength > maxUnreadBytes) stream.destroy();
    };
    const beat = setInterval(() => send({ name: 'heartbeat' }), heartbeatMs);
    const leave = () => {
      clearInterval(beat);
      unsubscribe();
      endings.delete(end);
    };
    const end = () => {
      leave();
      stream.push(null);
    };
    const unsubscribe = events.subscribe(guards.environment.of(request).id, { send, end });
    endings.add(end);
    stream.once('close', leave);
    send({ name: 'heartbeat' });
    return reply.headers(streamHeaders).send(stream);
  });
}
