import type { Kysely } from 'kysely';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { sha256Hex } from '#host/system/digest';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Registered agents, sign-ins under way and what was issued, as the OpenID provider keeps them. */
export interface SignInStore {
  /** What the provider keeps one kind of thing with. */
  adapterOf(kind: string): Adapter;
  /** Save what `change` makes of a registered agent, or of `undefined`; nobody else changes it meanwhile. */
  changeClient(id: string, change: (before: AdapterPayload | undefined) => AdapterPayload): Promise<void>;
}

/** A code or a token is its own id, so that the store knows only the SHA-256 of it. */
export function createSignInStore(store: Store, clock: Clock): SignInStore {
  async function find(
    db: Kysely<Tables>,
    kind: string,
    by: { readonly id: string } | { readonly uid: string },
  ): Promise<AdapterPayload | undefined> {
    const row = await db
      .selectFrom('signIns')
      .select(['payload', 'consumedAt'])
      .where((the) => the.and({ kind, ...('id' in by ? { id: sha256Hex(by.id) } : { uid: by.uid }) }))
      .where((the) => the.or([the('expiresAt', 'is', null), the('expiresAt', '>', clock.now())]))
      .executeTakeFirst();
    if (!row) return undefined;
    return {
      ...(JSON.parse(row.payload) as AdapterPayload),
      ...('id' in by ? { jti: by.id } : {}),
      ...(row.consumedAt === null ? {} : { consumed: Math.floor(row.consumedAt / 1000) }),
    };
  }

  async function save(db: Kysely<Tables>, kind: string, id: string, saved: AdapterPayload, expiresIn?: number) {
    const { jti: _id, ...payload } = saved;
    const content = {
      uid: payload.uid ?? null,
      grantId: payload.grantId ?? null,
      payload: JSON.stringify(payload),
      expiresAt: expiresIn ? clock.now() + expiresIn * 1000 : null,
    };
    await db.deleteFrom('signIns').where('expiresAt', '<=', clock.now()).execute();
    await db
      .insertInto('signIns')
      .values({ kind, id: sha256Hex(id), ...content })
      .onConflict((same) => same.columns(['kind', 'id']).doUpdateSet(content))
      .execute();
  }

  const change = (work: (db: Kysely<Tables>) => Promise<unknown>) =>
    store.transaction(async ({ db }) => {
      await work(db);
    });

  return {
    adapterOf: (kind) => ({
      upsert: (id, payload, expiresIn) => change((db) => save(db, kind, id, payload, expiresIn)),
      find: (id) => find(store.db, kind, { id }),
      findByUid: (uid) => find(store.db, kind, { uid }),
      // The device flow, which would need it, is off.
      findByUserCode: async () => undefined,
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
      revokeByGrantId: (grantId) => change((db) => db.deleteFrom('signIns').where('grantId', '=', grantId).execute()),
    }),
    changeClient: (id, changed) =>
      store.transaction(async ({ db, lock }) => {
        await lock(`client ${id}`);
        await save(db, 'Client', id, changed(await find(db, 'Client', { id })), 0);
      }),
  };
}
