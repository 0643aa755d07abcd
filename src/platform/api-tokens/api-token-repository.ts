import { type Kysely, sql } from 'kysely';
import type { WantedApiScope } from '#contracts/api-tokens';
import type { PermissionLevel } from '#contracts/identity';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** A token for programs. Times are milliseconds since the epoch. */
export interface ApiTokenRecord {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly WantedApiScope[];
  readonly allowedCidrs: readonly string[];
  readonly creator: {
    readonly id: number;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
  };
  readonly createdAt: number;
  readonly lifetimeMs: number | null;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly lastUsedAddress: string | null;
}

/** What is known of the token that a secret belongs to. */
export interface KnownSecret {
  readonly token: ApiTokenRecord;
  readonly secretHash: string;
  /** When this secret ends before the token does, after a rotation. */
  readonly endsAt: number | null;
  readonly projectName: string;
  /** The level that the creator has in the project now; `undefined` for no active member. */
  readonly creatorLevel: PermissionLevel | undefined;
}

export interface TokenUse {
  readonly tokenId: number;
  readonly at: number;
  readonly address: string;
}

interface ExpiringToken {
  readonly id: number;
  readonly name: string;
  readonly project: string;
  readonly expiresAt: number;
}

/** The most tokens that a list shows. */
const longestList = 200;
/** How long nobody is warned of the same token again. */
const dayMs = 24 * 60 * 60_000;

/** Reads tokens, and writes down how they are used. `api-token-changes.ts` changes them. */
export interface ApiTokenRepository {
  /** Active ones first, then the newest. */
  list(projectId: number): Promise<readonly ApiTokenRecord[]>;
  findBySecret(secretHash: string): Promise<KnownSecret | undefined>;
  saveUses(uses: readonly TokenUse[]): Promise<void>;
  /** Those that expire before `before` and that no warning named for a day. Each is given out once, by one process. */
  takeExpiring(before: number): Promise<readonly ExpiringToken[]>;
}

export function createApiTokenRepository(store: Store, clock: Clock): ApiTokenRepository {
  return {
    list: async (projectId) => {
      const isOver = sql<number>`case when revoked_at is not null or expires_at <= ${clock.now()} then 1 else 0 end`;
      const rows = await apiTokens(store.db)
        .where('apiTokens.projectId', '=', projectId)
        .orderBy(isOver)
        .orderBy('apiTokens.id', 'desc')
        .limit(longestList)
        .execute();
      return rows.map(recordOf);
    },
    findBySecret: async (secretHash) => {
      const row = await apiTokens(store.db)
        .innerJoin('apiTokenSecrets', 'apiTokenSecrets.tokenId', 'apiTokens.id')
        .innerJoin('projects', 'projects.id', 'apiTokens.projectId')
        .leftJoin('members', (join) =>
          join
            .onRef('members.projectId', '=', 'apiTokens.projectId')
            .onRef('members.userId', '=', 'apiTokens.createdBy')
            .on('members.deactivatedAt', 'is', null),
        )
        .select(['apiTokenSecrets.secretHash', 'apiTokenSecrets.endsAt'])
        .select(['projects.name as projectName', 'members.permissionLevel'])
        .where('apiTokenSecrets.secretHash', '=', secretHash)
        .executeTakeFirst();
      return (
        row && {
          token: recordOf(row),
          secretHash: row.secretHash,
          endsAt: row.endsAt,
          projectName: row.projectName,
          creatorLevel: row.permissionLevel ?? undefined,
        }
      );
    },
    saveUses: (uses) =>
      store.transaction(async ({ db }) => {
        for (const { tokenId, at, address } of uses.toSorted((one, other) => one.tokenId - other.tokenId)) {
          await db
            .updateTable('apiTokens')
            .set({ lastUsedAt: at, lastUsedAddress: address })
            .where('id', '=', tokenId)
            .where((the) => the.or([the('lastUsedAt', 'is', null), the('lastUsedAt', '<', at)]))
            .execute();
        }
      }),
    takeExpiring: async (before) => {
      const now = clock.now();
      // Most of the time there are none, and then nothing is written.
      if ((await expiringTokens(store.db, now, before).limit(1).execute()).length === 0) return [];
      return store.transaction(async ({ db, lock }) => {
        await lock('warnings of API tokens');
        const expiring = await expiringTokens(db, now, before).execute();
        const ids = expiring.map(({ id }) => id);
        if (ids.length > 0) await db.updateTable('apiTokens').set({ warnedAt: now }).where('id', 'in', ids).execute();
        return expiring;
      });
    },
  };
}

/** Tokens with their creators. */
export function apiTokens(db: Kysely<Tables>) {
  return db
    .selectFrom('apiTokens')
    .innerJoin('users as creator', 'creator.id', 'apiTokens.createdBy')
    .select(['apiTokens.id', 'apiTokens.projectId', 'apiTokens.name', 'apiTokens.hint', 'apiTokens.scopes'])
    .select(['apiTokens.allowedCidrs', 'apiTokens.createdAt', 'apiTokens.lifetimeMs', 'apiTokens.expiresAt'])
    .select(['apiTokens.revokedAt', 'apiTokens.lastUsedAt', 'apiTokens.lastUsedAddress'])
    .select(['creator.id as creatorId', 'creator.firstName', 'creator.lastName', 'creator.email']);
}

function expiringTokens(db: Kysely<Tables>, now: number, before: number) {
  return db
    .selectFrom('apiTokens')
    .innerJoin('projects', 'projects.id', 'apiTokens.projectId')
    .select(['apiTokens.id', 'apiTokens.name', 'projects.name as project', 'apiTokens.expiresAt'])
    .where('revokedAt', 'is', null)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<', before)
    .where((the) => the.or([the('warnedAt', 'is', null), the('warnedAt', '<=', now - dayMs)]))
    .orderBy('apiTokens.id')
    .$narrowType<{ expiresAt: number }>();
}

type ApiTokenRow = Awaited<ReturnType<ReturnType<typeof apiTokens>['executeTakeFirstOrThrow']>>;

export function recordOf(row: ApiTokenRow): ApiTokenRecord {
  const { id, projectId, name, hint, createdAt, lifetimeMs, expiresAt, revokedAt, lastUsedAt, lastUsedAddress } = row;
  const { creatorId, firstName, lastName, email } = row;
  return {
    ...{ id, projectId, name, hint, createdAt, lifetimeMs, expiresAt, revokedAt, lastUsedAt, lastUsedAddress },
    creator: { id: creatorId, firstName, lastName, email },
    scopes: JSON.parse(row.scopes) as WantedApiScope[],
    allowedCidrs: JSON.parse(row.allowedCidrs) as string[],
  };
}
