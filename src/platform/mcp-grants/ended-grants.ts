import { agentTokenLifetimeSeconds } from '#contracts/sessions';
import type { Clock } from '#kernel/ports/clock';
import type { AdminLog, Author } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { findGrants, type GrantRecord, grantValue } from './find-grants.ts';
import { forgetEndedGrantRights } from './grant-rights.ts';

/** An access token of a grant that ended before this has expired by itself. */
const rememberedMs = agentTokenLifetimeSeconds * 1000;

/** How the end of a grant is written down. */
export interface GrantEnd {
  readonly adminLog: AdminLog;
  readonly author: Author;
  readonly clock: Clock;
}

/**
 * End a grant: nothing that came of it can be used any more, and the agents refuse its access tokens from now on. Resolves to
 * whether there was one.
 */
export async function endMcpGrant(
  transaction: StoreTransaction,
  environmentId: number,
  grantId: string,
  { adminLog, author, clock }: GrantEnd,
): Promise<boolean> {
  const { db } = transaction;
  const [grant] = await findGrants(db, { environmentId, id: grantId }, clock.now());
  const removed = await db
    .deleteFrom('mcpState')
    .where('environmentId', '=', environmentId)
    .where((the) => the.or([the('grantId', '=', grantId), the.and({ kind: 'Grant', id: grantId })]))
    .returning('id')
    .execute();
  if (removed.length === 0) return false;
  await forgetEndedGrantRights(db, environmentId);
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
  if (grant) logGrant(transaction, adminLog, 'remove', grant, author);
  announceEvent(transaction, environmentId, { name: 'refresh-sessions' });
  return true;
}

/**
 * Remove all that MCP clients have of a person, as a part of ending what that person is signed in with.
 *
 * @param projectId only in the environments of this project.
 */
export async function removeMcpStateOf(
  transaction: StoreTransaction,
  personId: number,
  projectId: number | undefined,
  { adminLog, author, clock }: GrantEnd,
): Promise<void> {
  const { db } = transaction;
  for (const grant of await findGrants(db, { personId, projectId }, clock.now())) {
    logGrant(transaction, adminLog, 'remove', grant, author);
  }
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

/** Log that a client was let in, or no longer is. */
export function logGrant(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  type: 'add' | 'remove',
  grant: GrantRecord,
  author: Author,
): void {
  const { environment } = grant;
  const value = grantValue(grant);
  adminLog(transaction, {
    projectId: environment.projectId,
    author,
    type,
    resource: 'mcp-client',
    environment: environment.name,
    ...(type === 'add' ? { newValue: value } : { previousValue: value }),
  });
}
