import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import { clientAddress } from '../server/client-address.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { readAccountId } from '../tokens/account-id.ts';

/** What is kept of a request that somebody signs in with. */
type Sent = Pick<FastifyRequest, 'ip' | 'headers'>;

type Key = { readonly id: string } | { readonly uid: string } | { readonly userCode: string };

/** Registered agents, sign-ins under way and what was issued, as the OpenID provider keeps them. */
export interface SignInStore {
  /** What the provider keeps one kind of thing with. */
  adapterOf(kind: string): Adapter;
  /** Note where a request comes from, and with which browser, at everything that `work` makes. */
  withOrigin<Result>(request: Sent, work: () => Promise<Result>): Promise<Result>;
  /** Where the request comes from; `undefined` on the machine itself. */
  address(): string | undefined;
  /** The grant that a person gave to a client before, while it lasts. */
  findGrantId(clientId: string, accountId: string): Promise<string | undefined>;
  /** Save what `change` makes of a registered agent, or of `undefined`; nobody else changes it meanwhile. */
  changeClient(id: string, change: (before: AdapterPayload | undefined) => AdapterPayload): Promise<void>;
}

/**
 * What is found by something else than its id. Nobody signs in with the id of a grant. That of a device code is worth something
 * for the minutes that it lasts.
 */
const kindsWithId: ReadonlySet<string> = new Set(['Grant', 'DeviceCode']);

/** A code or a token is its own id, so that the store knows only the SHA-256 of it. */
export function createSignInStore(store: Store, clock: Clock): SignInStore {
  const origins = new AsyncLocalStorage<Sent>();

  const find = (db: Kysely<Tables>, kind: string, by: Key) => findPayload(db, clock.now(), kind, by);
  const save = (db: Kysely<Tables>, kind: string, id: string, saved: AdapterPayload, expiresIn?: number) =>
    savePayload(db, { kind, id, saved, expiresIn, sent: origins.getStore(), now: clock.now() });
  const change = (work: (db: Kysely<Tables>) => Promise<unknown>) =>
    store.transaction(async ({ db }) => {
      await work(db);
    });

  return {
    withOrigin: (request, work) => origins.run(request, work),
    address: () => {
      const sent = origins.getStore();
      return sent && clientAddress(sent);
    },
    findGrantId: async (clientId, accountId) => {
      const rows = await store.db
        .selectFrom('signIns')
        .select('payload')
        .where((the) => the.and({ kind: 'Grant', clientId, accountId: readAccountId(accountId).userId }))
        .where('expiresAt', '>', clock.now())
        .orderBy('createdAt', 'desc')
        .execute();
      // What somebody agreed to who signed in with a token ends with the token.
      return rows
        .map(({ payload }) => JSON.parse(payload) as AdapterPayload)
        .find((grant) => grant.accountId === accountId)?.jti;
    },
    adapterOf: (kind) => ({
      upsert: (id, payload, expiresIn) => change((db) => save(db, kind, id, payload, expiresIn)),
      find: (id) => find(store.db, kind, { id }),
      findByUid: (uid) => find(store.db, kind, { uid }),
      findByUserCode: (userCode) => find(store.db, kind, { userCode }),
      consume: (id) =>
        change((db) =>
          db
            .updateTable('signIns')
            .set({ consumedAt: clock.now() })
            .where((the) => the.and({ kind, id: sha256Hex(id) }))
            .execute(),
        ),
      destroy: (id) =>
        change((db) =>
          db
            .deleteFrom('signIns')
            .where((the) => the.and({ kind, id: sha256Hex(id) }))
            .execute(),
        ),
      // A sign-in that is under way names a grant too, and outlives it: the provider asks for each kind that ends with one.
      revokeByGrantId: (grantId) =>
        change((db) =>
          db
            .deleteFrom('signIns')
            .where((the) => the.and({ kind, grantId }))
            .execute(),
        ),
    }),
    changeClient: (id, changed) =>
      store.transaction(async ({ db, lock }) => {
        await lock(`client ${id}`);
        await save(db, 'Client', id, changed(await find(db, 'Client', { id })), 0);
      }),
  };
}

function columnOf(by: Key) {
  if ('id' in by) return { id: sha256Hex(by.id) };
  return 'uid' in by ? { uid: by.uid } : { userCode: sha256Hex(by.userCode) };
}

async function findPayload(
  db: Kysely<Tables>,
  now: number,
  kind: string,
  by: Key,
): Promise<AdapterPayload | undefined> {
  const row = await db
    .selectFrom('signIns')
    .select(['payload', 'consumedAt'])
    .where((the) => the.and({ kind, ...columnOf(by) }))
    .where((the) => the.or([the('expiresAt', 'is', null), the('expiresAt', '>', now)]))
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    ...(JSON.parse(row.payload) as AdapterPayload),
    ...('id' in by ? { jti: by.id } : {}),
    ...(row.consumedAt === null ? {} : { consumed: Math.floor(row.consumedAt / 1000) }),
  };
}

interface NewPayload {
  readonly kind: string;
  readonly id: string;
  readonly saved: AdapterPayload;
  /** In seconds. */
  readonly expiresIn: number | undefined;
  readonly sent: Sent | undefined;
  readonly now: number;
}

/** A browser tells more than anybody wants to know of it. */
const keptOfUserAgent = 200;

async function savePayload(db: Kysely<Tables>, { kind, id, saved, expiresIn, sent, now }: NewPayload): Promise<void> {
  const { jti, ...payload } = saved;
  const content = {
    uid: payload.uid ?? null,
    accountId: payload.accountId === undefined ? null : readAccountId(payload.accountId).userId,
    clientId: payload.clientId ?? null,
    userCode: payload.userCode === undefined ? null : sha256Hex(payload.userCode),
    grantId: payload.grantId ?? null,
    payload: JSON.stringify(kindsWithId.has(kind) ? { ...payload, jti } : payload),
    expiresAt: expiresIn ? now + expiresIn * 1000 : null,
  };
  const origin = {
    address: sent?.ip ?? null,
    userAgent: sent?.headers['user-agent']?.slice(0, keptOfUserAgent) ?? null,
    // Whoever signs in uses the session.
    lastUsedAt: kind === 'Session' ? now : null,
  };
  await db.deleteFrom('signIns').where('expiresAt', '<=', now).execute();
  await db
    .insertInto('signIns')
    .values({ kind, id: sha256Hex(id), ...content, ...origin, createdAt: now })
    .onConflict((same) => same.columns(['kind', 'id']).doUpdateSet(content))
    .execute();
}
