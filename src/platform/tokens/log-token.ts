import { type AdminLog, type Author, auditUserOf, authorOf } from '../audit/admin-log.ts';
import type { StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** A token as the log of changes tells it. */
export type LoggedToken = Pick<Tables['tokens'], 'userId' | 'environmentId' | 'purpose' | 'expiresAt'>;

/**
 * Log in the project of a token that it was made or is no longer good.
 *
 * @param by who did it, or the address where the owner of the token did.
 */
export async function logToken(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  type: 'add' | 'remove',
  { userId, environmentId, purpose, expiresAt }: LoggedToken,
  by: Author | { readonly address: string | undefined },
): Promise<void> {
  const { db } = transaction;
  const owner = await db
    .selectFrom('users')
    .select(['id', 'firstName', 'lastName', 'email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const { name, projectId } = await db
    .selectFrom('environments')
    .select(['name', 'projectId'])
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow();
  const value = { user: auditUserOf(owner), purpose, expiresAt: new Date(expiresAt).toISOString() };
  adminLog(transaction, {
    projectId,
    author: 'initiator' in by ? by : authorOf(owner, by.address),
    type,
    resource: 'access-token',
    environment: name,
    ...(type === 'add' ? { newValue: value } : { previousValue: value }),
  });
}
