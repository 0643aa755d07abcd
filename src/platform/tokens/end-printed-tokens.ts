import { commandLineClientId } from '#contracts/sign-in';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, thePlatform } from '../audit/admin-log.ts';
import { endAgentSessions, endAgentSessionsIn } from '../events/end-agent-sessions.ts';
import { removeMcpStateOf } from '../mcp-grants/ended-grants.ts';
import type { StoreTransaction } from '../store/store.ts';
import { accountIdOf } from './account-id.ts';
import { type LoggedToken, logToken } from './log-token.ts';

/** A token that was revoked just now. */
export interface RevokedToken extends LoggedToken {
  readonly id: number;
  readonly audience: string;
}

/** What of a token `endPrintedTokens` has to know. */
export const revokedColumns = ['id', 'userId', 'environmentId', 'purpose', 'expiresAt', 'audience'] as const;

interface Ending {
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  readonly by: Parameters<typeof logToken>[4];
}

/**
 * End what depends on tokens that were revoked, as a part of the same transaction. That is the tokens that were printed from
 * them, what agents have given in exchange for one, and the sessions of people who signed in with one.
 */
export async function endPrintedTokens(
  transaction: StoreTransaction,
  ending: Ending,
  revoked: readonly RevokedToken[],
): Promise<void> {
  if (revoked.length === 0) return;
  const { clock, adminLog, by } = ending;
  const now = clock.now();
  const printed = await transaction.db
    .updateTable('tokens')
    .set({ revokedAt: now })
    .where(
      'printedFrom',
      'in',
      revoked.map(({ id }) => id),
    )
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .returning(revokedColumns)
    .execute();
  for (const token of printed) await logToken(transaction, adminLog, 'remove', token, by);
  for (const { audience, userId, environmentId, expiresAt } of [...revoked, ...printed]) {
    if (audience !== 'platform' && expiresAt > now) await endAgentSessionsIn(transaction, userId, clock, environmentId);
  }
  for (const token of revoked) await endSignInsOf(transaction, token, ending);
}

/**
 * The agents that somebody signed in at with the token do not know which of their sessions and MCP clients began so: all of the project
 * end.
 */
async function endSignInsOf(
  transaction: StoreTransaction,
  { id, userId, environmentId }: RevokedToken,
  { clock, adminLog, by }: Ending,
): Promise<void> {
  const { db } = transaction;
  // With a second factor, the account of the same token has another name.
  const names = [false, true].map((hasSecondFactor) => accountIdOf({ userId, tokenId: id, hasSecondFactor }));
  const ended = await db
    .deleteFrom('signIns')
    .where('accountId', '=', userId)
    .where((the) => the.or(names.map((name) => the('payload', 'like', `%"accountId":"${name}"%`))))
    .returning('clientId')
    .execute();
  if (ended.every(({ clientId }) => clientId === null || clientId === commandLineClientId)) return;
  const { projectId } = await db
    .selectFrom('environments')
    .select('projectId')
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow();
  const author = 'initiator' in by ? by : thePlatform;
  await removeMcpStateOf(transaction, userId, projectId, { adminLog, author, clock });
  await endAgentSessions(transaction, userId, clock, projectId);
}
