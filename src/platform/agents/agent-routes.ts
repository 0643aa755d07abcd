import type { FastifyInstance } from 'fastify';
import { eventAckSchema } from '#contracts/platform-events';
import type { AgentList } from '#contracts/rights';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import { parseInput } from '../server/parse-input.ts';
import type { AcknowledgedEvent, AgentRepository } from './agent-repository.ts';

/** Agents report which events they have carried out; people see how far each of them is. */
export function registerAgentRoutes(
  server: FastifyInstance,
  guards: Guards,
  agents: AgentRepository,
  events: Pick<EventHub, 'newest'>,
): void {
  const acknowledgements = new Acknowledgements(agents);

  server.post('/agent/v1/event-acks', { onRequest: guards.environment.check }, async (request, reply) => {
    const ack = parseInput(eventAckSchema, request.body);
    await acknowledgements.add({ ...ack, environmentId: guards.environment.of(request).id });
    return reply.code(204).send();
  });

  server.get('/api/agents', { onRequest: guards.user.check }, async (request): Promise<AgentList> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    const newestEvent = await events.newest(by.environment.id);
    const connected = await agents.list(by.environment.id);
    return {
      newestEvent,
      agents: connected.map(({ id, connectedAt, acknowledged }) => ({
        id,
        connectedAt: new Date(connectedAt).toISOString(),
        acknowledged,
        lag: Math.max(0, newestEvent - (acknowledged ?? 0)),
      })),
    };
  });
}

/** This many are written by one statement at most. */
const maxBatch = 500;

interface Waiting {
  readonly ack: AcknowledgedEvent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes acknowledgements: those that arrive while others are written are one transaction together. */
class Acknowledgements {
  readonly #agents: Pick<AgentRepository, 'acknowledge'>;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(agents: Pick<AgentRepository, 'acknowledge'>) {
    this.#agents = agents;
  }

  /** Resolves when it is stored. */
  add(ack: AcknowledgedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ack, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      try {
        await this.#agents.acknowledge(batch.map(({ ack }) => ack));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}
