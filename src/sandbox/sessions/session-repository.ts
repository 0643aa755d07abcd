import type { Session } from '#contracts/sessions';
import { commandLineClientId } from '#contracts/sign-in';
import type { Clock } from '#kernel/ports/clock';
import { agentClientId } from '../sign-in/clients.ts';
import type { Store } from '../store/store.ts';
import { endAccess } from './end-access.ts';
import { endAgentSessionsIn } from './ended-sessions.ts';

/** Of a session that belongs to the platform as a whole, and of those that belong to one project. */
export interface SessionRepository {
  /** The newest first: what somebody is signed in with in a project, and the sessions of browsers. */
  list(projectId: number, userId: number, currentTokenHash: string | undefined): Promise<Session[]>;
  /** Resolves to whether there was one. */
  end(projectId: number, userId: number, id: string): Promise<boolean>;
  endAll(projectId: number, userId: number): Promise<void>;
}

export function createSessionRepository(store: Store, clock: Clock): SessionRepository {
  const list = async (projectId: number, userId: number, currentTokenHash?: string): Promise<Session[]> => {
    const all = [
      ...(await listTokens(store, clock.now(), projectId, userId, currentTokenHash)),
      ...(await listSignIns(store, clock.now(), projectId, userId)),
    ];
    return all
      .sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))
      .map(({ createdAt, expiresAt, ...session }) => ({
        ...session,
        personId: userId,
        createdAt: isoTime(createdAt),
        expiresAt: isoTime(expiresAt),
      }));
  };

  return {
    list,
    end: async (projectId, userId, id) => {
      const sessions = await list(projectId, userId);
      if (!sessions.some((session) => session.id === id)) return false;
      await store.transaction(async (transaction) => {
        const { db } = transaction;
        const tokenId = /^token-(\d+)$/.exec(id)?.[1];
        if (tokenId !== undefined) {
          await db.updateTable('tokens').set({ revokedAt: clock.now() }).where('id', '=', Number(tokenId)).execute();
          return;
        }
        const ended = await db
          .deleteFrom('signIns')
          .where((the) => the.and({ id: id.slice('sign-in-'.length), accountId: userId }))
          .returning(['kind', 'clientId', 'payload'])
          .executeTakeFirst();
        if (ended?.kind !== 'Grant') return;
        const { jti } = JSON.parse(ended.payload) as { readonly jti?: string };
        if (jti !== undefined) await db.deleteFrom('signIns').where('grantId', '=', jti).execute();
        const environments = await db
          .selectFrom('environments')
          .select('id')
          .where('projectId', '=', projectId)
          .execute();
        const environment = environments.find((each) => agentClientId(each.id) === ended.clientId);
        if (environment) await endAgentSessionsIn(transaction, userId, clock, environment.id);
      });
      return true;
    },
    endAll: (projectId, userId) => store.transaction((transaction) => endAccess(transaction, userId, clock, projectId)),
  };
}

async function listTokens(
  { db }: Store,
  now: number,
  projectId: number,
  userId: number,
  currentTokenHash: string | undefined,
): Promise<Timed[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('environments', 'environments.id', 'tokens.environmentId')
    .select(['tokens.id', 'tokens.tokenHash', 'tokens.purpose', 'tokens.address', 'tokens.createdAt'])
    .select('tokens.expiresAt')
    .where((the) => the.and({ userId, 'environments.projectId': projectId, revokedAt: null }))
    .where('tokens.expiresAt', '>', now)
    .execute();
  return rows.map(
    ({ id, tokenHash, purpose, address, createdAt, expiresAt }): Timed => ({
      id: `token-${id}`,
      kind: 'token',
      purpose,
      address,
      createdAt,
      expiresAt,
      isCurrent: tokenHash === currentTokenHash,
    }),
  );
}

async function listSignIns({ db }: Store, now: number, projectId: number, userId: number): Promise<Timed[]> {
  const environments = await db
    .selectFrom('environments')
    .select(['id', 'name'])
    .where('projectId', '=', projectId)
    .execute();
  const agents = new Map(environments.map(({ id, name }) => [agentClientId(id), name]));
  const rows = await db
    .selectFrom('signIns')
    .select(['kind', 'id', 'clientId', 'address', 'createdAt', 'expiresAt'])
    .where('accountId', '=', userId)
    .where('kind', 'in', ['Session', 'Grant'])
    .where('expiresAt', '>', now)
    .execute();
  return rows.flatMap(({ kind, id, clientId, ...row }): Timed[] => {
    const common = { id: `sign-in-${id}`, ...row, isCurrent: false } as const;
    if (kind === 'Session') return [{ ...common, kind: 'browser', purpose: 'the platform' }];
    if (clientId === commandLineClientId) return [{ ...common, kind: 'command line', purpose: 'vendor-cloud login' }];
    const environment = agents.get(clientId ?? '');
    return environment === undefined ? [] : [{ ...common, kind: 'agent', purpose: environment }];
  });
}

type Timed = Omit<Session, 'personId' | 'createdAt' | 'expiresAt'> & {
  /** Milliseconds since the epoch. */
  readonly createdAt: number | null;
  readonly expiresAt: number | null;
};

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
