import type { WantedApiScope } from '#contracts/api-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { StoreTransaction } from '../store/store.ts';
import { type ApiTokenRecord, apiTokens, recordOf } from './api-token-repository.ts';

/** The most tokens of a project that may be active at the same time. */
export const mostActiveTokens = 50;

export interface NewApiToken {
  readonly projectId: number;
  readonly name: string;
  readonly scopes: readonly WantedApiScope[];
  readonly allowedCidrs: readonly string[];
  readonly createdBy: number;
  /** `null`: it does not expire. */
  readonly lifetimeMs: number | null;
}

/** A secret as the store keeps it. */
export interface NewSecret {
  readonly secretHash: string;
  readonly hint: string;
}

/** Add a token, as a part of a transaction. Rejects with `REQUEST_CONFLICT` where the project has too many active ones. */
export async function addApiToken(
  { db, lock }: StoreTransaction,
  now: number,
  { scopes, allowedCidrs, ...token }: NewApiToken,
  { secretHash, hint }: NewSecret,
): Promise<ApiTokenRecord> {
  const { projectId, lifetimeMs } = token;
  await lock(`API tokens of project ${projectId}`);
  const { active } = await db
    .selectFrom('apiTokens')
    .select(({ fn }) => fn.countAll<number>().as('active'))
    .where((the) => the.and({ projectId, revokedAt: null }))
    .where((the) => the.or([the('expiresAt', 'is', null), the('expiresAt', '>', now)]))
    .executeTakeFirstOrThrow();
  if (active >= mostActiveTokens) throw tooMany();
  const { id } = await db
    .insertInto('apiTokens')
    .values({
      ...token,
      hint,
      scopes: JSON.stringify(scopes),
      allowedCidrs: JSON.stringify(allowedCidrs),
      createdAt: now,
      expiresAt: lifetimeMs === null ? null : now + lifetimeMs,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('apiTokenSecrets').values({ secretHash, tokenId: id, endsAt: null }).execute();
  return readApiToken(db, projectId, id);
}

/**
 * Give a token a new secret, as a part of a transaction. Its life begins again; the secret before stays valid for the overlap, but no
 * longer than it would have been. Rejects with `REQUEST_NOT_FOUND`, or `REQUEST_CONFLICT` for a token that is not active.
 */
export async function rotateApiToken(
  { db, lock }: StoreTransaction,
  now: number,
  { projectId, id, overlapMs }: { readonly projectId: number; readonly id: number; readonly overlapMs: number },
  { secretHash, hint }: NewSecret,
): Promise<ApiTokenRecord> {
  await lock(`API tokens of project ${projectId}`);
  const { lifetimeMs, expiresAt, revokedAt } = await readApiToken(db, projectId, id);
  if (revokedAt !== null) throw notActive('was revoked');
  if (expiresAt !== null && expiresAt <= now) throw notActive('has expired');
  await db.deleteFrom('apiTokenSecrets').where('tokenId', '=', id).where('endsAt', '<=', now).execute();
  await db
    .updateTable('apiTokenSecrets')
    .set({ endsAt: Math.min(now + overlapMs, expiresAt ?? Number.MAX_SAFE_INTEGER) })
    .where((the) => the.and({ tokenId: id, endsAt: null }))
    .execute();
  await db.insertInto('apiTokenSecrets').values({ secretHash, tokenId: id, endsAt: null }).execute();
  await db
    .updateTable('apiTokens')
    .set({ hint, rotatedAt: now, expiresAt: lifetimeMs === null ? null : now + lifetimeMs, warnedAt: null })
    .where('id', '=', id)
    .execute();
  return readApiToken(db, projectId, id);
}

/**
 * End a token at once, as a part of a transaction. Resolves to `undefined` for one that was revoked before. Rejects with
 * `REQUEST_NOT_FOUND`.
 */
export async function revokeApiToken(
  { db, lock }: StoreTransaction,
  now: number,
  { projectId, id }: { readonly projectId: number; readonly id: number },
): Promise<ApiTokenRecord | undefined> {
  await lock(`API tokens of project ${projectId}`);
  const before = await readApiToken(db, projectId, id);
  if (before.revokedAt !== null) return undefined;
  await db.updateTable('apiTokens').set({ revokedAt: now }).where('id', '=', id).execute();
  return { ...before, revokedAt: now };
}

async function readApiToken(db: StoreTransaction['db'], projectId: number, id: number): Promise<ApiTokenRecord> {
  const row = await apiTokens(db)
    .where((the) => the.and({ 'apiTokens.projectId': projectId, 'apiTokens.id': id }))
    .executeTakeFirst();
  if (row) return recordOf(row);
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The project has no API token ${id}.`,
    'List the tokens: vendor-cloud tokens list',
  );
}

function tooMany(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The project has ${mostActiveTokens} active API tokens, and may not have more.`,
    'Revoke one that nothing uses: vendor-cloud tokens list, then vendor-cloud tokens revoke <id>',
  );
}

function notActive(why: string): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The API token ${why}, so it cannot be rotated.`,
    'Create a new one: vendor-cloud tokens create <name>',
  );
}
