import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiScope, apiScopes, scopesGranted, scopesOfLevel } from '#contracts/api-tokens';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { ApiTokenRepository, KnownSecret, TokenUse } from '../api-tokens/api-token-repository.ts';
import { isApiTokenSecret } from '../api-tokens/api-token-secret.ts';
import type { IdentityRepository, UserRecord } from '../identity/identity-repository.ts';
import { addressRanges } from '../server/address-ranges.ts';
import type { TokenService } from '../tokens/token-service.ts';

/** Who calls the public API. */
export interface ApiCaller {
  readonly project: { readonly id: number; readonly name: string };
  readonly scopes: ReadonlySet<ApiScope>;
  /** `undefined` for a person who has signed in. */
  readonly tokenId: number | undefined;
  /** The person, or the creator of the token. */
  readonly user: UserRecord;
  /** Whose quota is used, and whose idempotency keys count: `token 3` or `person 7`. */
  readonly subject: string;
}

/** Somebody whose token is valid. Whether it may be used here and now is asked afterwards. */
export interface KnownCaller {
  readonly caller: ApiCaller;
  /** When the token ends, in milliseconds since the epoch. */
  readonly expiresAt: number | null;
  /** Throws `API_TOKEN_OWNER_NOT_ADMIN`, `API_TOKEN_ADDRESS_REFUSED` or `REQUEST_FORBIDDEN`. */
  checkMayCall(): void;
}

export interface AuthenticatorParts {
  readonly apiTokens: ApiTokenRepository;
  readonly personTokens: TokenService;
  readonly identity: IdentityRepository;
  readonly clock: Clock;
  /** Told of each use of a valid token. */
  readonly noteUse: (use: TokenUse) => void;
}

/**
 * Finds out who sent a request. It takes a token in the header `Authorization: Bearer` and nowhere else.
 *
 * @throws `API_TOKEN_INVALID`, `API_TOKEN_EXPIRED`, or `REQUEST_INVALID` for several `Authorization` headers.
 */
export type Authenticate = (request: Pick<FastifyRequest, 'raw' | 'headers' | 'ip'>) => Promise<KnownCaller>;

export function createAuthenticator(parts: AuthenticatorParts): Authenticate {
  return async (request) => {
    const token = bearerTokenOf(request);
    return token.startsWith('vcu_') ? personOf(token, parts) : programOf(token, request.ip, parts);
  };
}

/**
 * Finds out whose page sent a request, by the session of the browser. The person reads only.
 *
 * @throws `REQUEST_UNAUTHENTICATED`, or `REQUEST_FORBIDDEN` for a token and for somebody who may not use the public API.
 */
export type AuthenticatePage = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiCaller>;

export function createPageAuthenticator(guard: Guards['user']): AuthenticatePage {
  return async (request, reply) => {
    await guard.check(request, reply);
    const { user, environment, credential } = guard.of(request);
    if (credential.kind !== 'browser') {
      throw cloudError('REQUEST_FORBIDDEN', 'This address is for pages of the console.', 'Programs call /v1.');
    }
    authorise({ user }, 'use the public API');
    return {
      project: { id: environment.projectId, name: environment.projectName },
      scopes: new Set(scopesOfLevel('read-only')),
      tokenId: undefined,
      user,
      subject: `person ${user.id}`,
    };
  };
}

/** Node.js keeps the first of several `Authorization` headers, and a proxy may have looked at another one. */
function bearerTokenOf({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): string {
  const names = raw.rawHeaders.filter((_text, place) => place % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'authorization').length > 1) {
    throw cloudError('REQUEST_INVALID', 'The request has several "Authorization" headers.', 'Send one.');
  }
  const { authorization = '' } = headers;
  if (!/^Bearer(?: |$)/i.test(authorization)) throw invalid({ isMissing: true });
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw invalid();
  return token;
}

/** The check of form and checksum keeps texts that were never tokens away from the store. */
async function programOf(
  token: string,
  address: string,
  { apiTokens, clock, noteUse }: AuthenticatorParts,
): Promise<KnownCaller> {
  if (!isApiTokenSecret(token)) throw invalid();
  const secretHash = sha256Hex(token);
  const known = await apiTokens.findBySecret(secretHash);
  // Somebody who measures the time learns nothing from the answers: an unknown token is compared as well.
  const isSame = isSameHash(known?.secretHash ?? unknownHash, secretHash);
  if (!known || !isSame || known.token.revokedAt !== null) throw invalid();
  const now = clock.now();
  const { token: record, endsAt, projectName } = known;
  if (isOver(record.expiresAt, now) || isOver(endsAt, now)) throw expired();
  noteUse({ tokenId: record.id, at: now, address });
  return {
    caller: {
      project: { id: record.projectId, name: projectName },
      scopes: scopesGranted(record.scopes),
      tokenId: record.id,
      user: record.creator,
      subject: `token ${record.id}`,
    },
    expiresAt: endsAt ?? record.expiresAt,
    checkMayCall: () => {
      refuseFormerAdmin(known);
      refuseAddress(known, address);
    },
  };
}

/** Somebody who has signed in has every scope, but must be an administrator as the creator of a token must. */
async function personOf(token: string, { personTokens, identity }: AuthenticatorParts): Promise<KnownCaller> {
  const owner = await personTokens.verify(token).catch((error: unknown) => {
    throw isCloudError(error) && error.code === 'REQUEST_UNAUTHENTICATED' ? invalid({}, error) : error;
  });
  const environment = await identity.findEnvironment(owner.environmentId);
  const user = environment && (await identity.findMember(environment.projectId, owner.userId));
  if (!user) throw invalid();
  return {
    caller: {
      project: { id: environment.projectId, name: environment.projectName },
      scopes: new Set(owner.isReadOnly ? scopesOfLevel('read-only') : apiScopes),
      tokenId: undefined,
      user,
      subject: `person ${user.id}`,
    },
    expiresAt: null,
    checkMayCall: () => authorise({ user }, 'use the public API'),
  };
}

const unknownHash = '0'.repeat(64);

function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'hex'), Buffer.from(other, 'hex'));
}

function isOver(end: number | null, now: number): boolean {
  return end !== null && end <= now;
}

function refuseFormerAdmin({ creatorLevel, token }: KnownSecret): void {
  if (creatorLevel === 'admin') return;
  throw cloudError(
    'API_TOKEN_OWNER_NOT_ADMIN',
    `The person who created the token "${token.name}" is not an administrator of the project any more.`,
    'Have an administrator create a new token.',
  );
}

function refuseAddress({ token: { allowedCidrs } }: KnownSecret, address: string): void {
  const malformed = (place: string) => new TypeError(`The store has a range ${place}.`);
  if (allowedCidrs.length === 0 || addressRanges(allowedCidrs, malformed)(address)) return;
  throw cloudError(
    'API_TOKEN_ADDRESS_REFUSED',
    'The token may not be used from this address.',
    'Send the request from an allowed address, or create a token for this one.',
  );
}

function invalid(safeDetails: { readonly isMissing?: boolean } = {}, cause?: unknown): CloudError {
  return cloudError(
    'API_TOKEN_INVALID',
    safeDetails.isMissing ? 'The request carries no token.' : 'The token does not exist, or it was revoked.',
    'Send the header "Authorization: Bearer <API token>".',
    { safeDetails, cause },
  );
}

function expired(): CloudError {
  return cloudError(
    'API_TOKEN_EXPIRED',
    'The token has expired, or a newer secret took its place.',
    'Create a new token, or use the newest secret of this one.',
  );
}
