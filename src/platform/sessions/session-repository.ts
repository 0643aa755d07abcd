import type { FastifyInstance } from 'fastify';
import type { EndedSessions, Session } from '#contracts/sessions';
import type { Clock } from '#kernel/ports/clock';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, type Author, auditUserOf } from '../audit/admin-log.ts';
import { endAgentSessionsIn, rememberedMs } from '../events/end-agent-sessions.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { listEndedMcpGrants } from '../mcp-grants/ended-grants.ts';
import { listMarkedSessions } from '../mcp-marks/marks.ts';
import { agentClientId } from '../provider/clients.ts';
import type { Store } from '../store/store.ts';
import { endPrintedTokens, revokedColumns } from '../tokens/end-printed-tokens.ts';
import { logToken } from '../tokens/log-token.ts';
import { deviceOf } from './device.ts';
import { endAccess, signInPurpose } from './end-access.ts';

/** A session that was used, by the id that it has in the list of sessions. */
export interface SessionUse {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Write when sessions were used last. What has ended meanwhile is passed over. */
export async function saveSessionUses(store: Store, uses: readonly SessionUse[]): Promise<void> {
  await store.transaction(async ({ db }) => {
    // In one order, so that two processes never wait for each other.
    for (const { id, at } of uses.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      const tokenId = tokenIdOf(id);
      const used = { lastUsedAt: at };
      if (tokenId === undefined) await db.updateTable('signIns').set(used).where('id', '=', signInIdOf(id)).execute();
      else await db.updateTable('tokens').set(used).where('id', '=', tokenId).execute();
    }
  });
}

function tokenIdOf(sessionId: string): number | undefined {
  const id = /^token-(\d+)$/.exec(sessionId)?.[1];
  return id === undefined ? undefined : Number(id);
}

function signInIdOf(sessionId: string): string {
  return sessionId.slice('sign-in-'.length);
}

/** Of a session that belongs to the platform as a whole, and of those that belong to one project. */
export interface SessionRepository {
  /**
   * The newest first: what somebody is signed in with in a project, and the sessions of browsers.
   *
   * @param current SHA-256 of the token that the request came with, or of the secret of its browser.
   */
  list(projectId: number, userId: number, current: string | undefined): Promise<Session[]>;
  /** Resolves to whether there was one. */
  end(projectId: number, user: UserRecord, id: string, author: Author): Promise<boolean>;
  endAll(projectId: number, user: UserRecord, author: Author): Promise<void>;
}

export function createSessionRepository(store: Store, clock: Clock, adminLog: AdminLog): SessionRepository {
  const list = async (projectId: number, userId: number, current?: string): Promise<Session[]> => {
    const all = [
      ...(await listTokens(store, clock.now(), projectId, userId, current)),
      ...(await listSignIns(store, clock.now(), projectId, userId, current)),
    ];
    return all
      .sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0))
      .map(({ createdAt, expiresAt, lastUsedAt, ...session }) => ({
        ...session,
        personId: userId,
        createdAt: isoTime(createdAt),
        expiresAt: isoTime(expiresAt),
        lastUsedAt: isoTime(lastUsedAt),
      }));
  };

  return {
    list,
    end: async (projectId, user, id, author) => {
      const sessions = await list(projectId, user.id);
      if (!sessions.some((session) => session.id === id)) return false;
      return store.transaction(async (transaction) => {
        const { db } = transaction;
        const tokenId = tokenIdOf(id);
        if (tokenId !== undefined) {
          const revoked = await db
            .updateTable('tokens')
            .set({ revokedAt: clock.now() })
            .where((the) => the.and({ id: tokenId, revokedAt: null }))
            .returning(revokedColumns)
            .executeTakeFirst();
          if (!revoked) return false;
          await logToken(transaction, adminLog, 'remove', revoked, author);
          await endPrintedTokens(transaction, { clock, adminLog, by: author }, [revoked]);
          return true;
        }
        const ended = await db
          .deleteFrom('signIns')
          .where((the) => the.and({ id: signInIdOf(id), accountId: user.id }))
          .returning(['kind', 'clientId', 'payload'])
          .executeTakeFirst();
        if (!ended) return false;
        const environments = await environmentsOf(db, projectId);
        const session = signInPurpose(ended, environments);
        if (session) {
          const previousValue = { user: auditUserOf(user), ...session };
          adminLog(transaction, { projectId, author, type: 'remove', resource: 'session', previousValue });
        }
        if (ended.kind !== 'Grant') return true;
        const { jti } = JSON.parse(ended.payload) as { readonly jti?: string };
        if (jti !== undefined) await db.deleteFrom('signIns').where('grantId', '=', jti).execute();
        const environment = environments.find((each) => agentClientId(each.id) === ended.clientId);
        if (environment) await endAgentSessionsIn(transaction, user.id, clock, environment.id);
        return true;
      });
    },
    endAll: (projectId, user, author) =>
      store.transaction((transaction) => endAccess(transaction, { user, clock, adminLog, author }, projectId)),
  };
}

async function listTokens(
  { db }: Store,
  now: number,
  projectId: number,
  userId: number,
  current: string | undefined,
): Promise<Timed[]> {
  const rows = await db
    .selectFrom('tokens')
    .innerJoin('environments', 'environments.id', 'tokens.environmentId')
    .select(['tokens.id', 'tokens.tokenHash', 'tokens.purpose', 'tokens.address', 'tokens.createdAt'])
    .select(['tokens.expiresAt', 'tokens.lastUsedAt'])
    .where((the) => the.and({ userId, 'environments.projectId': projectId, revokedAt: null }))
    .where('tokens.expiresAt', '>', now)
    .execute();
  return rows.map(
    ({ id, tokenHash, ...row }): Timed => ({
      ...row,
      id: `token-${id}`,
      kind: 'token',
      device: null,
      isCurrent: tokenHash === current,
    }),
  );
}

async function listSignIns(
  { db }: Store,
  now: number,
  projectId: number,
  userId: number,
  current: string | undefined,
): Promise<Timed[]> {
  const environments = await environmentsOf(db, projectId);
  const rows = await db
    .selectFrom('signIns')
    .select(['kind', 'id', 'clientId', 'address', 'userAgent', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .where('accountId', '=', userId)
    .where('kind', 'in', ['Session', 'Grant'])
    .where('expiresAt', '>', now)
    .execute();
  return rows.flatMap(({ kind, id, clientId, userAgent, ...row }): Timed[] => {
    const session = signInPurpose({ kind, clientId }, environments);
    return session
      ? [{ id: `sign-in-${id}`, ...row, ...session, device: deviceOf(userAgent), isCurrent: id === current }]
      : [];
  });
}

function environmentsOf(db: Store['db'], projectId: number) {
  return db.selectFrom('environments').select(['id', 'name']).where('projectId', '=', projectId).execute();
}

type Timed = Omit<Session, 'personId' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> & {
  /** Milliseconds since the epoch. */
  readonly createdAt: number | null;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
};

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
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
    const marked = await listMarkedSessions(store, environmentId);
    return {
      people: rows.map(({ userId, endedAt }) => ({ id: userId, msAgo: Math.max(0, now - endedAt) })),
      grants: [...(await listEndedMcpGrants(store, environmentId, now))],
      ...(marked.length > 0 ? { marked } : {}),
    };
  });
}
