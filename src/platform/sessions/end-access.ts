import type { Session } from '#contracts/sessions';
import { commandLineClientId } from '#contracts/sign-in';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, auditUserOf } from '../audit/admin-log.ts';
import { endAgentSessions } from '../events/end-agent-sessions.ts';
import { projectsOfPerson, type UserRecord } from '../identity/identity-repository.ts';
import { removeMcpStateOf } from '../mcp-grants/ended-grants.ts';
import { agentClientId } from '../provider/clients.ts';
import type { StoreTransaction } from '../store/store.ts';
import { logToken } from '../tokens/log-token.ts';

export interface EndedAccess {
  /** Whose access ends. */
  readonly user: UserRecord;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  readonly author: Author;
}

/**
 * End everything that somebody is signed in with, as a part of another change: tokens, sessions of browsers, and what agents,
 * devices and MCP clients were given. It is logged in the project, or in those of the person.
 *
 * @param projectId only the tokens and agents of this project; sessions of browsers are those of the person, whatever the project.
 */
export async function endAccess(transaction: StoreTransaction, ended: EndedAccess, projectId?: number): Promise<void> {
  await endTokens(transaction, ended, projectId);
  await endSignIns(transaction, ended, projectId);
  await removeMcpStateOf(transaction, ended.user.id, projectId, ended);
  await endAgentSessions(transaction, ended.user.id, ended.clock, projectId);
}

/** How the store calls that an administrator sees the console as somebody else. */
export const impersonationKind = 'Impersonation';

/** End the views of somebody who is an administrator no more, with the tokens that pages have at agents for them. */
export async function endImpersonations(
  transaction: StoreTransaction,
  userId: number,
  clock: Clock,
  projectId: number,
): Promise<void> {
  const begun = await transaction.db
    .deleteFrom('signIns')
    .where((the) => the.and({ kind: impersonationKind, accountId: userId }))
    .where('expiresAt', '>', clock.now())
    .returning('id')
    .execute();
  if (begun.length > 0) await endAgentSessions(transaction, userId, clock, projectId);
}

async function endTokens(
  transaction: StoreTransaction,
  { user, clock, adminLog, author }: EndedAccess,
  projectId: number | undefined,
): Promise<void> {
  const now = clock.now();
  let tokens = transaction.db
    .updateTable('tokens')
    .set({ revokedAt: now })
    .where('userId', '=', user.id)
    .where('revokedAt', 'is', null);
  if (projectId !== undefined) {
    tokens = tokens.where('environmentId', 'in', (environments) =>
      environments.selectFrom('environments').select('id').where('projectId', '=', projectId),
    );
  }
  const revoked = await tokens.returning(['userId', 'environmentId', 'purpose', 'expiresAt']).execute();
  for (const token of revoked) {
    if (token.expiresAt > now) await logToken(transaction, adminLog, 'remove', token, author);
  }
}

async function endSignIns(
  transaction: StoreTransaction,
  { user, clock, adminLog, author }: EndedAccess,
  only: number | undefined,
): Promise<void> {
  const { db } = transaction;
  const removed = await db
    .deleteFrom('signIns')
    .where('accountId', '=', user.id)
    .returning(['kind', 'clientId', 'expiresAt'])
    .execute();
  const wereGood = removed.filter(({ expiresAt }) => expiresAt === null || expiresAt > clock.now());
  if (wereGood.length === 0) return;
  for (const projectId of only === undefined ? await projectsOfPerson(db, user.id) : [only]) {
    const environments = await db
      .selectFrom('environments')
      .select(['id', 'name'])
      .where('projectId', '=', projectId)
      .execute();
    for (const signIn of wereGood) {
      const session = signInPurpose(signIn, environments);
      if (!session) continue;
      const previousValue = { user: auditUserOf(user), ...session };
      adminLog(transaction, { projectId, author, type: 'remove', resource: 'session', previousValue });
    }
  }
}

interface Environment {
  readonly id: number;
  readonly name: string;
}

/**
 * What somebody is signed in with, of what the sign-in of the platform has kept. `undefined` for what is not a session, or one with an
 * agent of other environments.
 */
export function signInPurpose(
  { kind, clientId }: { readonly kind: string; readonly clientId: string | null },
  environments: readonly Environment[],
): Pick<Session, 'kind' | 'purpose'> | undefined {
  if (kind === 'Session') return { kind: 'browser', purpose: 'the platform' };
  if (kind !== 'Grant') return undefined;
  if (clientId === commandLineClientId) return { kind: 'command line', purpose: 'vendor-cloud login' };
  const environment = environments.find(({ id }) => agentClientId(id) === clientId);
  return environment && { kind: 'agent', purpose: environment.name };
}
