import type { FastifyInstance } from 'fastify';
import { agentTokenLifetimeSeconds, type EndedSessions } from '#contracts/ended-sessions';
import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import { listEndedMcpGrants } from '../mcp-authorization/ended-grants.ts';
import type { Guards } from '../server/guards.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A session that began before this has expired by itself. */
const rememberedMs = agentTokenLifetimeSeconds * 1000;

/**
 * End what somebody is signed in with at agents, as a part of another change: those of some environments refuse the session tokens
 * that they have made so far.
 *
 * @param projectId of the environments; those of every project of the person by default.
 */
export async function endAgentSessions(
  transaction: StoreTransaction,
  userId: number,
  clock: Clock,
  projectId?: number,
): Promise<void> {
  let environments = transaction.db
    .selectFrom('environments')
    .innerJoin('members', 'members.projectId', 'environments.projectId')
    .select('environments.id')
    .where('members.userId', '=', userId)
    .orderBy('environments.id');
  if (projectId !== undefined) environments = environments.where('environments.projectId', '=', projectId);
  for (const { id } of await environments.execute()) await endAgentSessionsIn(transaction, userId, clock, id);
}

/** The same at the agents of one environment. */
export async function endAgentSessionsIn(
  transaction: StoreTransaction,
  userId: number,
  clock: Clock,
  environmentId: number,
): Promise<void> {
  const { db } = transaction;
  const endedAt = clock.now();
  await db
    .deleteFrom('endedSessions')
    .where('environmentId', '=', environmentId)
    .where('endedAt', '<', endedAt - rememberedMs)
    .execute();
  await db
    .insertInto('endedSessions')
    .values({ environmentId, userId, endedAt })
    .onConflict((same) => same.columns(['environmentId', 'userId']).doUpdateSet({ endedAt }))
    .execute();
  announceEvent(transaction, environmentId, { name: 'refresh-sessions' });
}

/** Tells agents whose tokens they refuse: `#contracts/ended-sessions`. */
export function registerEndedSessions(server: FastifyInstance, guards: Guards, store: Store, clock: Clock): void {
  const onRequest = guards.environment.check;
  server.get('/agent/v1/ended-sessions', { onRequest }, async (request): Promise<EndedSessions> => {
    const now = clock.now();
    const { id: environmentId } = guards.environment.of(request);
    const rows = await store.db
      .selectFrom('endedSessions')
      .select(['userId', 'endedAt'])
      .where('environmentId', '=', environmentId)
      .where('endedAt', '>=', now - rememberedMs)
      .orderBy('userId')
      .execute();
    return {
      people: rows.map(({ userId, endedAt }) => ({ id: userId, msAgo: Math.max(0, now - endedAt) })),
      grants: [...(await listEndedMcpGrants(store, environmentId, now))],
    };
  });
}
