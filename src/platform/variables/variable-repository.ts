import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import type { AdminLog, PersonAsAuthor } from '../audit/admin-log.ts';
import type { EnvironmentRecord, UserRecord } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';

const contentSchema = z.object({ variables: z.record(z.string(), z.string()), authSecret: z.string() });

/** What one revision of the variables of an environment holds. The store has it encrypted. */
type VariableContent = z.infer<typeof contentSchema>;

interface VariableChange {
  readonly author: UserRecord;
  readonly at: number;
}

interface NewRevision {
  /** The revision that it replaces. */
  readonly base: number;
  readonly content: VariableContent;
  /** Names of the variables that have another value than before, or are new. */
  readonly set: readonly string[];
  /** Names of those that were removed. */
  readonly unset: readonly string[];
}

/** The revisions of variables, by environment. A revision never changes. */
export interface VariableRepository {
  /** The newest revision; 0 before the first change. */
  newest(environmentId: number): Promise<number>;
  /** Who made a revision, and when; `undefined` for the one before the first change. */
  findChange(environmentId: number, revision: number): Promise<VariableChange | undefined>;
  /** `undefined` for a revision that is not there. Rejects with `PLATFORM_KEY_WRONG`. */
  read(environmentId: number, revision: number): Promise<VariableContent | undefined>;
  /** Add a revision after its base; nothing is added when the newest one, which comes back, is another by now. */
  add(
    environment: EnvironmentRecord,
    revision: NewRevision,
    author: PersonAsAuthor,
  ): Promise<{ readonly isAdded: boolean; readonly newest: number }>;
}

/** @param sealed Encrypts under a key that is not in the store. */
export function createVariableRepository(
  store: Store,
  sealed: SealedTexts,
  clock: Clock,
  random: Random,
  adminLog: AdminLog,
): VariableRepository {
  const open = async (environmentId: number, revision: number): Promise<VariableContent | undefined> => {
    const row = await store.db
      .selectFrom('variables')
      .select('sealed')
      .where((the) => the.and({ environmentId, revision }))
      .executeTakeFirst();
    if (!row) return undefined;
    const text = await sealed.open(row.sealed);
    if (text === undefined) throw wrongKey();
    return contentSchema.parse(JSON.parse(text));
  };

  /**
   * Hosts sign with a secret before anybody has set a variable, so revision 0 is made when it is asked for. All later ones keep
   * its secret.
   */
  const makeFirst = async (environmentId: number): Promise<VariableContent | undefined> => {
    const made: VariableContent = { variables: {}, authSecret: random.hex(32) };
    const text = await sealed.seal(JSON.stringify(made));
    await store.transaction(async ({ db }) => {
      await db
        .insertInto('variables')
        .values({ environmentId, revision: 0, sealed: text, authorId: null, createdAt: clock.now() })
        .onConflict((same) => same.doNothing())
        .execute();
    });
    return open(environmentId, 0);
  };

  return {
    newest: (environmentId) => newestRevision(store.db, environmentId),
    findChange: async (environmentId, revision) => {
      const row = await store.db
        .selectFrom('variables')
        .innerJoin('users', 'users.id', 'variables.authorId')
        .select(['users.id', 'users.firstName', 'users.lastName', 'users.email', 'variables.createdAt'])
        .where('variables.environmentId', '=', environmentId)
        .where('variables.revision', '=', revision)
        .executeTakeFirst();
      if (!row) return undefined;
      const { createdAt: at, ...author } = row;
      return { author, at };
    },
    read: async (environmentId, revision) =>
      (await open(environmentId, revision)) ?? (revision === 0 ? makeFirst(environmentId) : undefined),
    add: async ({ id: environmentId, projectId, name }, { base, content, set, unset }, author) => {
      const text = await sealed.seal(JSON.stringify(content));
      return store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`variables of environment ${environmentId}`);
        const newest = await newestRevision(db, environmentId);
        if (newest !== base) return { isAdded: false, newest };
        const revision = base + 1;
        await db
          .insertInto('variables')
          .values({ environmentId, revision, sealed: text, authorId: author.user.id, createdAt: clock.now() })
          .execute();
        adminLog(transaction, {
          projectId,
          author,
          type: 'update',
          resource: 'variables',
          environment: name,
          previousValue: { revision: base },
          newValue: { revision, set, unset },
        });
        return { isAdded: true, newest: revision };
      });
    },
  };
}

async function newestRevision(db: Store['db'], environmentId: number): Promise<number> {
  const { newest } = await db
    .selectFrom('variables')
    .select(({ fn }) => fn.max('revision').as('newest'))
    .where('environmentId', '=', environmentId)
    .executeTakeFirstOrThrow();
  return newest ?? 0;
}

function wrongKey(): CloudError {
  return cloudError(
    'PLATFORM_KEY_WRONG',
    'The variables were encrypted under another key than the one this platform was started with.',
    'Start the platform with the key it had: the file "platform.key", or SERVICE_PLATFORM_KEY.',
  );
}
