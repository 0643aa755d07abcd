import { type EventAck, heartbeatMs } from '#contracts/platform-events';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

type AgentRecord = Tables['agents'];

/** An agent at the other end of a stream of events. */
type AgentConnection = Pick<AgentRecord, 'environmentId' | 'id' | 'connection' | 'process'>;

export interface AcknowledgedEvent extends EventAck {
  readonly environmentId: number;
}

/** The agents that listen, and which events they have carried out. */
export interface AgentRepository {
  connect(agent: AgentConnection): Promise<void>;
  disconnect(agent: AgentConnection): Promise<void>;
  /** Agents of a process that ends. */
  disconnectAll(process: string): Promise<void>;
  /** The streams of the process are open still. */
  keep(process: string): Promise<void>;
  /** Agents that are not connected any more are passed over. */
  acknowledge(acks: readonly AcknowledgedEvent[]): Promise<void>;
  /** By the time they connected. */
  list(environmentId: number): Promise<readonly AgentRecord[]>;
}

/** A process that died cannot say that its agents are gone. */
const goneMs = 2.5 * heartbeatMs;

export function createAgentRepository(store: Store, clock: Clock): AgentRepository {
  return {
    connect: (agent) =>
      store.transaction(async ({ db }) => {
        const now = clock.now();
        const { connection, process } = agent;
        const row = { connection, process, connectedAt: now, seenAt: now, acknowledged: null };
        await db
          .insertInto('agents')
          .values({ ...agent, ...row })
          .onConflict((same) => same.columns(['environmentId', 'id']).doUpdateSet(row))
          .execute();
      }),
    disconnect: ({ environmentId, id, connection }) =>
      store.transaction(async ({ db }) => {
        await db
          .deleteFrom('agents')
          .where((the) => the.and({ environmentId, id, connection }))
          .execute();
      }),
    disconnectAll: (process) =>
      store.transaction(async ({ db }) => {
        await db.deleteFrom('agents').where('process', '=', process).execute();
      }),
    keep: (process) =>
      store.transaction(async ({ db }) => {
        const now = clock.now();
        await db.updateTable('agents').set({ seenAt: now }).where('process', '=', process).execute();
        await db
          .deleteFrom('agents')
          .where('seenAt', '<', now - goneMs)
          .execute();
      }),
    acknowledge: (acks) =>
      store.transaction(async ({ db }) => {
        const groups = Map.groupBy(acks, ({ environmentId, id }) => `${environmentId} ${id}`);
        for (const [first, ...rest] of groups.values()) {
          if (!first) continue;
          const { environmentId, id: acknowledged } = first;
          await db
            .updateTable('agents')
            .set({ acknowledged })
            .where('environmentId', '=', environmentId)
            .where(
              'id',
              'in',
              [first, ...rest].map(({ agent }) => agent),
            )
            .execute();
        }
      }),
    list: (environmentId) =>
      store.db
        .selectFrom('agents')
        .selectAll()
        .where('environmentId', '=', environmentId)
        .where('seenAt', '>', clock.now() - goneMs)
        .orderBy('connectedAt')
        .orderBy('id')
        .execute(),
  };
}
