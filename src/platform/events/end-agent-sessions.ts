import { agentTokenLifetimeSeconds } from '#contracts/sessions';
import type { Clock } from '#kernel/ports/clock';
import type { StoreTransaction } from '../store/store.ts';
import { announceEvent } from './announce-event.ts';

/** A session that began before this has expired by itself. */
export const rememberedMs = agentTokenLifetimeSeconds * 1000;

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
