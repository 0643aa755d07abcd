import type { Kysely } from 'kysely';
import type { Clock } from '#kernel/ports/clock';
import type { AdminLog, PersonAsAuthor } from '../audit/admin-log.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type NewVersion = Omit<Tables['versions'], 'number' | 'createdAt' | 'authorId'> & {
  readonly author: PersonAsAuthor;
};

export type VersionRecord = Tables['versions'] & { readonly sizeBytes: number; readonly author: UserRecord };

/** Bundles by their digest, and the versions made of them. */
export interface VersionRepository {
  findBundleSize(projectId: number, digest: string): Promise<number | undefined>;
  readBundle(projectId: number, digest: string): Promise<Uint8Array | undefined>;
  /** False when the project has those bytes already. */
  addBundle(projectId: number, digest: string, content: Uint8Array): Promise<boolean>;
  findVersionByKey(projectId: number, idempotencyKey: string): Promise<VersionRecord | undefined>;
  findVersion(projectId: number, number: number): Promise<VersionRecord | undefined>;
  /**
   * Gives the version the next number of its project, or, when its idempotency key or its content made one before, gives back
   * that one unchanged. The bundle must be there.
   */
  addVersion(version: NewVersion): Promise<{ readonly version: VersionRecord; readonly isNew: boolean }>;
  /** Newest first, numbers below `before`. */
  listVersions(projectId: number, limit: number, before: number | undefined): Promise<readonly VersionRecord[]>;
}

export function createVersionRepository(store: Store, clock: Clock, adminLog: AdminLog): VersionRepository {
  return {
    findBundleSize: async (projectId, digest) => {
      const bundle = await store.db
        .selectFrom('bundles')
        .select('sizeBytes')
        .where((the) => the.and({ projectId, digest }))
        .executeTakeFirst();
      return bundle?.sizeBytes;
    },
    readBundle: async (projectId, digest) => {
      const bundle = await store.db
        .selectFrom('bundles')
        .select('content')
        .where((the) => the.and({ projectId, digest }))
        .executeTakeFirst();
      return bundle?.content;
    },
    addBundle: (projectId, digest, content) =>
      store.transaction(async ({ db }) => {
        const { numInsertedOrUpdatedRows = 0n } = await db
          .insertInto('bundles')
          .values({ projectId, digest, sizeBytes: content.byteLength, content, createdAt: clock.now() })
          .onConflict((same) => same.doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows > 0n;
      }),
    findVersionByKey: (projectId, key) => findByKey(store.db, projectId, key),
    findVersion: async (projectId, number) => {
      const row = await versions(store.db, projectId).where('versions.number', '=', number).executeTakeFirst();
      return row && versionOf(row);
    },
    addVersion: ({ author, ...version }) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const { projectId, idempotencyKey } = version;
        await lock(`versions of project ${projectId}`);
        const earlier =
          (await findByKey(db, projectId, idempotencyKey)) ?? (await findByContent(db, projectId, version.contentHash));
        if (earlier) return { version: earlier, isNew: false };
        const { last } = await db
          .selectFrom('versions')
          .select(({ fn }) => fn.max('number').as('last'))
          .where('projectId', '=', projectId)
          .executeTakeFirstOrThrow();
        const number = (last ?? 0) + 1;
        await db
          .insertInto('versions')
          .values({ ...version, number, authorId: author.user.id, createdAt: clock.now() })
          .execute();
        const { digest, message } = version;
        const newValue = { number, digest, message };
        adminLog(transaction, { projectId, author, type: 'add', resource: 'version', newValue });
        const row = await versions(db, projectId).where('versions.number', '=', number).executeTakeFirstOrThrow();
        return { version: versionOf(row), isNew: true };
      }),
    listVersions: async (projectId, limit, before) => {
      const rows = await versions(store.db, projectId)
        .where('versions.number', '<', before ?? Number.MAX_SAFE_INTEGER)
        .orderBy('versions.number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(versionOf);
    },
  };
}

async function findByKey(db: Kysely<Tables>, projectId: number, key: string): Promise<VersionRecord | undefined> {
  const row = await versions(db, projectId).where('versions.idempotencyKey', '=', key).executeTakeFirst();
  return row && versionOf(row);
}

async function findByContent(
  db: Kysely<Tables>,
  projectId: number,
  contentHash: string | null,
): Promise<VersionRecord | undefined> {
  const row = await versions(db, projectId).where('versions.contentHash', '=', contentHash).executeTakeFirst();
  return row && versionOf(row);
}

function versions(db: Kysely<Tables>, projectId: number) {
  return db
    .selectFrom('versions')
    .innerJoin('users', 'users.id', 'versions.authorId')
    .innerJoin('bundles', (join) =>
      join.onRef('bundles.projectId', '=', 'versions.projectId').onRef('bundles.digest', '=', 'versions.digest'),
    )
    .selectAll('versions')
    .select(['bundles.sizeBytes', 'users.firstName', 'users.lastName', 'users.email'])
    .where('versions.projectId', '=', projectId);
}

type VersionRow = Omit<VersionRecord, 'author'> & Omit<UserRecord, 'id'>;

function versionOf({ firstName, lastName, email, ...version }: VersionRow): VersionRecord {
  return { ...version, author: { id: version.authorId, firstName, lastName, email } };
}
