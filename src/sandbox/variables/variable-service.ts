import { z } from 'zod';
import type { HostVariables } from '#contracts/hosting';
import type { ChangeVariables, VariableList } from '#contracts/variables';
import type { SealedTexts } from '#host/system/sealed-text';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import { authorise } from '../server/authorise.ts';
import type { SignedInUser } from '../server/guards.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** What one revision holds, before it is encrypted. */
const sealedSchema = z.object({ variables: z.record(z.string(), z.string()), authSecret: z.string() });

type Sealed = z.infer<typeof sealedSchema>;

/** Variables and secrets of environments. A revision never changes: a deployment goes on with the one that it was made with. */
export interface VariableService {
  /** The names alone. */
  list(by: SignedInUser): Promise<VariableList>;
  /** Rejects with `REQUEST_FORBIDDEN` or `REQUEST_CONFLICT`. */
  change(by: SignedInUser, input: ChangeVariables): Promise<VariableList>;
  /** The newest revision; 0 before the first change. */
  newestRevision(environmentId: number): Promise<number>;
  /** For the hosts of the environment. Rejects with `REQUEST_NOT_FOUND`. */
  read(environment: EnvironmentRecord, revision: number): Promise<HostVariables>;
}

/** @param sealed Encrypts under a key that is not in the store. */
export function createVariableService(
  store: Store,
  sealed: SealedTexts,
  clock: Clock,
  random: Random,
): VariableService {
  const sealedOf = async (db: Store['db'], environmentId: number, revision: number) =>
    db
      .selectFrom('variables')
      .select('sealed')
      .where((the) => the.and({ environmentId, revision }))
      .executeTakeFirst();

  const openRevision = async (environmentId: number, revision: number): Promise<Sealed | undefined> => {
    const row = await sealedOf(store.db, environmentId, revision);
    if (!row) return undefined;
    const text = await sealed.open(row.sealed);
    if (text === undefined) throw wrongKey();
    return sealedSchema.parse(JSON.parse(text));
  };

  const newestRevision = async (environmentId: number, db = store.db): Promise<number> => {
    const { newest } = await db
      .selectFrom('variables')
      .select(({ fn }) => fn.max('revision').as('newest'))
      .where('environmentId', '=', environmentId)
      .executeTakeFirstOrThrow();
    return newest ?? 0;
  };

  /**
   * Hosts sign with a secret before anybody has set a variable, so revision 0 is made when it is asked for. All later ones keep its
   * secret.
   */
  const firstRevision = async (environmentId: number): Promise<Sealed | undefined> => {
    const made: Sealed = { variables: {}, authSecret: random.hex(32) };
    const text = await sealed.seal(JSON.stringify(made));
    await store.transaction(async ({ db }) => {
      await db
        .insertInto('variables')
        .values({ environmentId, revision: 0, sealed: text, authorId: null, createdAt: clock.now() })
        .onConflict((same) => same.doNothing())
        .execute();
    });
    return openRevision(environmentId, 0);
  };

  const contentOf = async (environmentId: number, revision: number): Promise<Sealed | undefined> =>
    (await openRevision(environmentId, revision)) ?? (revision === 0 ? firstRevision(environmentId) : undefined);

  /** Add a revision, unless there is another one than `base` by now. */
  const add = (environmentId: number, base: number, text: string, authorId: number | null) =>
    store.transaction(async ({ db, lock }: StoreTransaction) => {
      await lock(`variables of environment ${environmentId}`);
      const newest = await newestRevision(environmentId, db);
      if (newest !== base) return { isAdded: false, revision: newest };
      await db
        .insertInto('variables')
        .values({ environmentId, revision: base + 1, sealed: text, authorId, createdAt: clock.now() })
        .execute();
      return { isAdded: true, revision: base + 1 };
    });

  return {
    list: async (by) => {
      authorise(by, `set variables of ${by.environment.type}`);
      const revision = await newestRevision(by.environment.id);
      const content = await openRevision(by.environment.id, revision);
      return { revision, names: Object.keys(content?.variables ?? {}).sort() };
    },
    change: async (by, { set, unset, base }) => {
      authorise(by, `set variables of ${by.environment.type}`);
      const before = await contentOf(by.environment.id, base);
      if (!before) throw changedMeanwhile(await newestRevision(by.environment.id));
      const variables: Record<string, string> = { ...before.variables, ...set };
      for (const name of unset) delete variables[name];
      const content: Sealed = { variables, authSecret: before.authSecret };
      const text = await sealed.seal(JSON.stringify(content));
      const { isAdded, revision } = await add(by.environment.id, base, text, by.user.id);
      if (!isAdded) throw changedMeanwhile(revision);
      return { revision, names: Object.keys(variables).sort() };
    },
    newestRevision,
    read: async ({ id }, revision) => {
      const content = await contentOf(id, revision);
      if (!content) throw revisionUnknown(revision);
      return { revision, ...content };
    },
  };
}

function changedMeanwhile(revision: number): CloudError {
  return new CloudError({
    code: 'REQUEST_CONFLICT',
    message: `The variables were changed meanwhile: their revision is ${revision}.`,
    nextSteps: ['Look at them again, then change them.'],
    details: { revision },
  });
}

function revisionUnknown(revision: number): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `The environment has no revision ${revision} of its variables.`,
    nextSteps: ['Ask for the revision of a deployment.'],
  });
}

function wrongKey(): CloudError {
  return new CloudError({
    code: 'PLATFORM_KEY_WRONG',
    message: 'The variables were encrypted under another key than the one this platform was started with.',
    nextSteps: ['Start the platform with the key it had: the file "platform.key", or SERVICE_PLATFORM_KEY.'],
  });
}
