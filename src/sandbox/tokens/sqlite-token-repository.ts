import { z } from 'zod';
import type { Clock } from '#kernel/ports/clock';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { TokenRepository } from './token-repository.ts';

const tokenRow = z.object({
  id: z.number(),
  tokenHash: z.string(),
  userId: z.number(),
  environmentId: z.number(),
  expiresAt: z.number(),
  revokedAt: z.number().nullable(),
});

export function createSqliteTokenRepository(connection: SqliteConnection, clock: Clock): TokenRepository {
  return {
    add: async ({ tokenHash, userId, environmentId, purpose, expiresAt }) => {
      connection.run(
        'insert into tokens (token_hash, user_id, environment_id, purpose, created_at, expires_at) values (?, ?, ?, ?, ?, ?)',
        [tokenHash, userId, environmentId, purpose, clock.now(), expiresAt],
      );
    },
    findByHash: async (tokenHash) =>
      tokenRow.optional().parse(
        connection.all(
          `select id, token_hash as tokenHash, user_id as userId, environment_id as environmentId,
             expires_at as expiresAt, revoked_at as revokedAt
           from tokens where token_hash = ?`,
          [tokenHash],
        )[0],
      ),
    revoke: async (tokenHash) => {
      connection.run('update tokens set revoked_at = ? where token_hash = ? and revoked_at is null', [
        clock.now(),
        tokenHash,
      ]);
    },
    revokeOfPurpose: async (userId, environmentId, purpose) => {
      connection.run(
        `update tokens set revoked_at = ?
         where user_id = ? and environment_id = ? and purpose = ? and revoked_at is null`,
        [clock.now(), userId, environmentId, purpose],
      );
    },
  };
}
