import { agentTokenLifetimeSeconds } from '#contracts/ended-sessions';
import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** An access token of a grant that ended before this has expired by itself. */
const rememberedMs = agentTokenLifetimeSeconds * 1000;

/**
 * End a grant: nothing that came of it can be used any more, and the agents are told to refuse its access tokens. Resolves to
 * whether there was one.
 */
export async function endMcpGrant(
  transaction: StoreTransaction,
  environmentId: number,
  grantId: string,
  clock: Clock,
): Promise<boolean> {
  const { db } = transaction;
  const removed = await db
    .deleteFrom('mcpState')
    .where('environmentId', '=', environmentId)
    .where((the) => the.or([the('grantId', '=', grantId), the.and({ kind: 'Grant', id: grantId })]))
    .returning('id')
    .execute();
  if (removed.length === 0) return false;
  const endedAt = clock.now();
  await db
    .deleteFrom('endedMcpGrants')
    .where('environmentId', '=', environmentId)
    .where('endedAt', '<', endedAt - rememberedMs)
    .execute();
  await db
    .insertInto('endedMcpGrants')
    .values({ environmentId, grantId, endedAt })
    .onConflict((same) => same.doNothing())
    .execute();
  announceEvent(transaction, environmentId, { name: 'refresh-sessions' });
  return true;
}

/**
 * Remove all that MCP clients have of a person, as a part of ending what that person is signed in with.
 *
 * @param projectId only in the environments of this project.
 */
export async function removeMcpStateOf(
  { db }: StoreTransaction,
  personId: number,
  projectId: number | undefined,
): Promise<void> {
  let removed = db.deleteFrom('mcpState').where('personId', '=', personId);
  if (projectId !== undefined) {
    removed = removed.where('environmentId', 'in', (environments) =>
      environments.selectFrom('environments').select('environments.id').where('projectId', '=', projectId),
    );
  }
  await removed.execute();
}

/** The grants of an environment that ended within the lifetime of an access token. */
export async function listEndedMcpGrants(
  { db }: Store,
  environmentId: number,
  now: number,
): Promise<readonly { readonly id: string; readonly msAgo: number }[]> {
  const rows = await db
    .selectFrom('endedMcpGrants')
    .select(['grantId', 'endedAt'])
    .where('environmentId', '=', environmentId)
    .where('endedAt', '>=', now - rememberedMs)
    .orderBy('grantId')
    .execute();
  return rows.map(({ grantId, endedAt }) => ({ id: grantId, msAgo: Math.max(0, now - endedAt) }));
}
