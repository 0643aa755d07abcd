import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, auditUserOf } from '../audit/admin-log.ts';
import { projectsOfPerson, type UserRecord } from '../identity/identity-repository.ts';
import { factorSetupMs, needsSecondFactor, openFactorSetup } from '../rights/needs-second-factor.ts';
import { endAccess } from '../sessions/end-access.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { lastNeededFactor } from './factor-errors.ts';

interface FactorBase {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface Passkey extends FactorBase {
  readonly kind: 'passkey';
  /** The host that it was made for. */
  readonly host: string;
  readonly credentialId: string;
  /** In base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

interface AuthenticatorApp extends FactorBase {
  readonly kind: 'totp';
  /** Its secret, encrypted. */
  readonly sealed: string;
}

export type FactorRecord = Passkey | AuthenticatorApp;

type NewRecord<Kind extends FactorRecord> = Omit<Kind, 'id' | 'createdAt' | 'lastUsedAt'>;
export type NewFactor = NewRecord<Passkey> | (NewRecord<AuthenticatorApp> & { readonly lastStep: number });

/** The second factors of people. Every change is in the log of each of their projects. */
export interface FactorRepository {
  /** The oldest first. */
  list(userId: number): Promise<readonly FactorRecord[]>;
  /** Add a factor. Recovery codes are kept with the first one. Resolves to whether they were. */
  add(user: UserRecord, factor: NewFactor, codeHashes: readonly string[], author: Author): Promise<boolean>;
  rename(user: UserRecord, id: number, name: string, author: Author): Promise<boolean>;
  /** Remove a factor, and the recovery codes with the last one. Rejects with `REQUEST_CONFLICT` for the last one that a role demands. */
  remove(user: UserRecord, id: number, author: Author): Promise<boolean>;
  /**
   * Remove all of somebody's factors, and end everything that they are signed in with. For a day, they may set up another one at a
   * sign-in. Resolves to how many there were.
   */
  reset(user: UserRecord, author: Author): Promise<number>;
  /** A passkey has signed. Resolves to `false` where its counter was overtaken meanwhile. */
  useKey(id: number, counter: number): Promise<boolean>;
  /** A code of an app was typed. Resolves to `false` where one of that step, or of a later one, was taken before. */
  useStep(id: number, step: number): Promise<boolean>;
  replaceCodes(user: UserRecord, codeHashes: readonly string[], author: Author): Promise<void>;
  /** Resolves to `false` for a code that is unknown, or was used. */
  useCode(userId: number, codeHash: string): Promise<boolean>;
  countCodes(userId: number): Promise<number>;
  /** Until when somebody without a factor may set one up at a sign-in; `undefined` where that was never opened, or is used. */
  setupUntil(userId: number): Promise<number | undefined>;
}

export function createFactorRepository(store: Store, clock: Clock, adminLog: AdminLog): FactorRepository {
  const log = createFactorLog(adminLog);
  const change = <Result>(user: UserRecord, work: (transaction: StoreTransaction) => Promise<Result>) =>
    store.transaction(async (transaction) => {
      await transaction.lock(`factors of person ${user.id}`);
      return work(transaction);
    });

  return {
    list: (userId) => listFactors(store.db, userId),
    add: (user, { name, kind, ...factor }, codeHashes, author) =>
      change(user, async (transaction) => {
        const { db } = transaction;
        const isFirst = (await listFactors(db, user.id)).length === 0;
        const own = 'transports' in factor ? { ...factor, transports: JSON.stringify(factor.transports) } : factor;
        const row = { userId: user.id, kind, name, ...own, createdAt: clock.now() };
        await db.insertInto('factors').values(row).execute();
        if (isFirst) {
          await saveCodes(transaction, user.id, codeHashes);
          await openFactorSetup(db, [user.id], null);
        }
        await log(transaction, user, author, 'add', { kind, name });
        return isFirst;
      }),
    rename: (user, id, name, author) =>
      change(user, async (transaction) => {
        const renamed = await transaction.db
          .updateTable('factors')
          .set({ name })
          .where((the) => the.and({ id, userId: user.id }))
          .returning('kind')
          .executeTakeFirst();
        if (renamed) await log(transaction, user, author, 'update', { kind: renamed.kind, name });
        return renamed !== undefined;
      }),
    remove: (user, id, author) =>
      change(user, async (transaction) => {
        const { db } = transaction;
        const all = await listFactors(db, user.id);
        const factor = all.find((each) => each.id === id);
        if (!factor) return false;
        if (all.length === 1) {
          if (await needsSecondFactor(db, user.id, clock.now())) throw lastNeededFactor(factor.name);
          await saveCodes(transaction, user.id, []);
        }
        await db.deleteFrom('factors').where('id', '=', id).execute();
        await log(transaction, user, author, 'remove', factor);
        return true;
      }),
    reset: (user, author) =>
      change(user, async (transaction) => {
        const { db } = transaction;
        const all = await listFactors(db, user.id);
        await db.deleteFrom('factors').where('userId', '=', user.id).execute();
        await saveCodes(transaction, user.id, []);
        const until = clock.now() + factorSetupMs.reset;
        await openFactorSetup(db, [user.id], until);
        await log(transaction, user, author, 'update', { kind: 'setup', name: untilText(until) });
        for (const factor of all) await log(transaction, user, author, 'remove', factor);
        await endAccess(transaction, { user, clock, adminLog, author });
        return all.length;
      }),
    replaceCodes: (user, codeHashes, author) =>
      change(user, async (transaction) => {
        await saveCodes(transaction, user.id, codeHashes);
        await log(transaction, user, author, 'update', { kind: 'recovery codes', name: 'recovery codes' });
      }),
    ...createFactorUses(store, clock),
  };
}

function untilText(time: number): string {
  return `open until ${new Date(time).toISOString()}`;
}

interface LoggedFactor {
  readonly kind: FactorRecord['kind'] | 'recovery codes' | 'setup';
  readonly name: string;
}

function createFactorLog(adminLog: AdminLog) {
  return async (
    transaction: StoreTransaction,
    user: UserRecord,
    author: Author,
    type: 'add' | 'update' | 'remove',
    { kind, name }: LoggedFactor,
  ): Promise<void> => {
    const value = { user: auditUserOf(user), kind, name };
    for (const projectId of await projectsOfPerson(transaction.db, user.id)) {
      const values = type === 'remove' ? { previousValue: value } : { newValue: value };
      adminLog(transaction, { projectId, author, type, resource: 'second-factor', ...values });
    }
  };
}

async function saveCodes({ db }: StoreTransaction, userId: number, codeHashes: readonly string[]): Promise<void> {
  await db.deleteFrom('recoveryCodes').where('userId', '=', userId).execute();
  const rows = codeHashes.map((codeHash) => ({ userId, codeHash }));
  if (rows.length > 0) await db.insertInto('recoveryCodes').values(rows).execute();
}

type FactorUses = Pick<FactorRepository, 'useKey' | 'useStep' | 'useCode' | 'countCodes' | 'setupUntil'>;

/** What a sign-in reads and uses up. It is not a change of what the person signs in with. */
function createFactorUses(store: Store, clock: Clock): FactorUses {
  return {
    setupUntil: async (userId) => {
      const user = await store.db
        .selectFrom('users')
        .select('factorSetupUntil')
        .where('id', '=', userId)
        .executeTakeFirst();
      return user?.factorSetupUntil ?? undefined;
    },
    useKey: (id, counter) =>
      store.transaction(async ({ db }) => {
        // Many authenticators count nothing, and always say 0.
        const used = await db
          .updateTable('factors')
          .set({ counter, lastUsedAt: clock.now() })
          .where('id', '=', id)
          .where((the) => the.or([the('counter', '<', counter), the.and({ counter: 0 })]))
          .returning('id')
          .executeTakeFirst();
        return used !== undefined;
      }),
    useStep: (id, step) =>
      store.transaction(async ({ db }) => {
        const used = await db
          .updateTable('factors')
          .set({ lastStep: step, lastUsedAt: clock.now() })
          .where('id', '=', id)
          .where('lastStep', '<', step)
          .returning('id')
          .executeTakeFirst();
        return used !== undefined;
      }),
    useCode: (userId, codeHash) =>
      store.transaction(async ({ db }) => {
        const used = await db
          .updateTable('recoveryCodes')
          .set({ usedAt: clock.now() })
          .where((the) => the.and({ userId, codeHash, usedAt: null }))
          .returning('userId')
          .executeTakeFirst();
        return used !== undefined;
      }),
    countCodes: async (userId) => {
      const { left } = await store.db
        .selectFrom('recoveryCodes')
        .select(({ fn }) => fn.countAll<number>().as('left'))
        .where((the) => the.and({ userId, usedAt: null }))
        .executeTakeFirstOrThrow();
      return Number(left);
    },
  };
}

async function listFactors(db: Store['db'], userId: number): Promise<readonly FactorRecord[]> {
  const rows = await db.selectFrom('factors').selectAll().where('userId', '=', userId).orderBy('id').execute();
  return rows.map(({ id, kind, name, createdAt, lastUsedAt, ...own }): FactorRecord => {
    const base = { id, name, createdAt, lastUsedAt };
    if (kind === 'totp') return { ...base, kind, sealed: own.sealed ?? '' };
    const { host, credentialId, publicKey, counter, transports } = own;
    return {
      ...{ ...base, kind, host: host ?? '', credentialId: credentialId ?? '', publicKey: publicKey ?? '' },
      counter: counter ?? 0,
      transports: JSON.parse(transports ?? '[]') as string[],
    };
  });
}
