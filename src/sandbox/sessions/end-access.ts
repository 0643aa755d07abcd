import type { Clock } from '#kernel/ports/clock';
import type { StoreTransaction } from '../store/store.ts';
import { endAgentSessions } from './ended-sessions.ts';

/**
 * End everything that somebody is signed in with, as a part of another change: tokens, sessions of browsers, and what agents and
 * devices were given.
 *
 * @param projectId only the tokens and agents of this project; sessions of browsers are those of the person, whatever the project.
 */
export async function endAccess(
  transaction: StoreTransaction,
  userId: number,
  clock: Clock,
  projectId?: number,
): Promise<void> {
  const { db } = transaction;
  let tokens = db
    .updateTable('tokens')
    .set({ revokedAt: clock.now() })
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null);
  if (projectId !== undefined) {
    tokens = tokens.where('environmentId', 'in', (environments) =>
      environments.selectFrom('environments').select('id').where('projectId', '=', projectId),
    );
  }
  await tokens.execute();
  await db.deleteFrom('signIns').where('accountId', '=', userId).execute();
  await endAgentSessions(transaction, userId, clock, projectId);
}
