import type { Adapter, AdapterPayload } from 'oidc-provider';
import { z } from 'zod';
import { sha256Hex } from '#host/system/digest';
import type { Clock } from '#kernel/ports/clock';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

/** Registered agents, sign-ins under way and what was issued, as the OpenID provider keeps them: one adapter for each kind. */
export type SignInStore = (kind: string) => Adapter;

const row = z.object({ payload: z.string(), consumedAt: z.number().nullable() });

/** A code or a token is its own id, so that the store knows only the SHA-256 of it. */
export function createSqliteSignInStore(connection: SqliteConnection, clock: Clock): SignInStore {
  return (kind) => {
    const find = (column: 'id' | 'uid', value: string, id: string | undefined): AdapterPayload | undefined => {
      const found = connection.all(
        `select payload, consumed_at as consumedAt from sign_ins
         where kind = ? and ${column} = ? and (expires_at is null or expires_at > ?)`,
        [kind, value, clock.now()],
      )[0];
      if (!found) return undefined;
      const { payload, consumedAt } = row.parse(found);
      const kept = JSON.parse(payload) as AdapterPayload;
      return {
        ...kept,
        ...(id === undefined ? {} : { jti: id }),
        ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt / 1000) }),
      };
    };
    return {
      upsert: async (id, { jti: _id, ...payload }, expiresIn) => {
        connection.run('delete from sign_ins where expires_at <= ?', [clock.now()]);
        connection.run(
          `insert into sign_ins (kind, id, uid, grant_id, payload, expires_at) values (?, ?, ?, ?, ?, ?)
           on conflict (kind, id) do update set uid = excluded.uid, grant_id = excluded.grant_id, payload = excluded.payload,
             expires_at = excluded.expires_at`,
          [
            kind,
            sha256Hex(id),
            payload.uid ?? null,
            payload.grantId ?? null,
            JSON.stringify(payload),
            expiresIn ? clock.now() + expiresIn * 1000 : null,
          ],
        );
      },
      find: async (id) => find('id', sha256Hex(id), id),
      findByUid: async (uid) => find('uid', uid, undefined),
      // The device flow, which would need it, is off.
      findByUserCode: async () => undefined,
      consume: async (id) => {
        connection.run('update sign_ins set consumed_at = ? where kind = ? and id = ?', [
          clock.now(),
          kind,
          sha256Hex(id),
        ]);
      },
      destroy: async (id) => {
        connection.run('delete from sign_ins where kind = ? and id = ?', [kind, sha256Hex(id)]);
      },
      revokeByGrantId: async (grantId) => {
        connection.run('delete from sign_ins where grant_id = ?', [grantId]);
      },
    };
  };
}
