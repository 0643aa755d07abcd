import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { formatPlatformEvent, heartbeatMs, type PlatformEvent, subscribePath } from '#contracts/platform-events';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Guards } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import { parseInput } from '../server/parse-input.ts';
import type { AgentRepository } from './agent-repository.ts';

/** An agent that has not read so much is gone, or as good as. */
const maxUnreadBytes = 64 * 1024;
const streamHeaders = { 'content-type': 'text/event-stream', connection: 'close', 'x-accel-buffering': 'no' };

const headersSchema = z.object({
  'last-event-id': z.coerce.number().int().nonnegative().optional(),
  'service-agent-id': z.uuid().optional(),
});

export interface EventRouteParts {
  readonly events: EventHub;
  readonly agents: AgentRepository;
  readonly random: Random;
  readonly logger: Logger;
}

/** The stream of events an agent listens to; it ends when the agent goes away or the platform stops. */
export function registerEventRoutes(server: FastifyInstance, guards: Guards, parts: EventRouteParts): void {
  const { events, agents, random, logger } = parts;
  const processId = random.uuid();
  const endings = new Set<() => void>();
  const note = (work: Promise<void>) =>
    work.catch((error: unknown) => logger.log('Warn', 'The list of connected agents is not up to date.', { error }));
  const keeping = setInterval(() => endings.size > 0 && void note(agents.keep(processId)), heartbeatMs);
  let isStopping = false;
  server.addHook('preClose', async () => {
    isStopping = true;
    clearInterval(keeping);
    for (const end of endings) end();
  });
  server.addHook('onClose', () => note(agents.disconnectAll(processId)));

  // HEAD would open a stream as well: one that nobody reads, and that never ends.
  const options = { onRequest: guards.environment.check, exposeHeadRoute: false };
  server.get(subscribePath, options, async (request, reply) => {
    const { id: environmentId } = guards.environment.of(request);
    const { 'last-event-id': last, 'service-agent-id': id } = parseInput(headersSchema, request.headers);
    const after = last ?? (await events.newest(environmentId));
    const agent = id === undefined ? undefined : { environmentId, id, connection: random.uuid(), process: processId };
    if (agent) await agents.connect(agent);
    const stream = new Readable({ read: () => undefined });
    let sent = after;
    const send = (event: PlatformEvent, sequence = sent) => {
      if (stream.destroyed) return;
      sent = sequence;
      stream.push(formatPlatformEvent(event, sequence));
      if (stream.readableLength > maxUnreadBytes) stream.destroy();
    };
    const leave = () => {
      if (!endings.delete(end)) return;
      clearInterval(beat);
      unsubscribe();
      if (agent && !isStopping) void note(agents.disconnect(agent));
    };
    const end = () => {
      leave();
      stream.push(null);
    };
    send({ name: 'heartbeat' });
    const beat = setInterval(() => send({ name: 'heartbeat' }), heartbeatMs);
    const unsubscribe = events.subscribe(environmentId, after, { send, end });
    endings.add(end);
    stream.once('close', leave);
    return reply.headers(streamHeaders).send(stream);
  });
}
