import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  type ApiToken,
  type ApiTokenList,
  type ApiTokenWithSecret,
  type CreateApiToken,
  createApiTokenSchema,
  expiresSoonMs,
  type RotateApiToken,
  rotateApiTokenSchema,
  scopesOfLevel,
} from '#contracts/api-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '#kernel/text/full-name';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, authorOf, changeLog, type LogChange } from '../audit/admin-log.ts';
import type { MemberRecord } from '../identity/identity-repository.ts';
import { clientAddress } from '../server/client-address.ts';
import { type GivenAnswer, idempotencyKeyOf, runOnce, sendOnce } from '../server/idempotency.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { addApiToken, revokeApiToken, rotateApiToken } from './api-token-changes.ts';
import type { ApiTokenRecord, ApiTokenRepository } from './api-token-repository.ts';
import { type ApiTokenKind, makeApiTokenSecret } from './api-token-secret.ts';

const dayMs = 24 * 60 * 60_000;
const defaultLifetimeMs = { live: 90 * dayMs, test: 180 * dayMs } as const;
const hintLength = 4;

/** Who asks: a member of the project. */
export interface TokenManager {
  readonly projectId: number;
  readonly user: MemberRecord;
  /** Where the request came from, where that is known. */
  readonly address: string | undefined;
}

/** The tokens with which programs use the public API. Everything asks for the right to manage API tokens. */
export interface ApiTokenService {
  list(by: TokenManager): Promise<ApiToken[]>;
  /** Make a token. Its secret is in this answer only. A request with the same key gets the same answer without it. */
  create(by: TokenManager, input: CreateApiToken, key: string | undefined): Promise<GivenAnswer>;
  /** Rejects with `REQUEST_NOT_FOUND`, or `REQUEST_CONFLICT` for a token that is not active. */
  rotate(by: TokenManager, id: number, input: RotateApiToken): Promise<ApiTokenWithSecret>;
  /** It stops working at once. Nothing happens where it was revoked before. Rejects with `REQUEST_NOT_FOUND`. */
  revoke(by: TokenManager, id: number): Promise<void>;
}

export interface ApiTokenServiceParts {
  readonly store: Store;
  readonly tokens: ApiTokenRepository;
  readonly clock: Clock;
  readonly random: Random;
  readonly kind: ApiTokenKind;
  readonly adminLog: AdminLog;
}

export function createApiTokenService({
  store,
  tokens,
  clock,
  random,
  kind,
  adminLog,
}: ApiTokenServiceParts): ApiTokenService {
  const makeSecret = () => {
    const token = makeApiTokenSecret(kind, random);
    return { token, secretHash: sha256Hex(token), hint: token.slice(-hintLength) };
  };
  return {
    list: async (by) => {
      authorise(by, 'manage API tokens');
      const all = await tokens.list(by.projectId);
      return all.map((token) => apiTokenOf(token, clock.now()));
    },
    create: async (by, input, key) => {
      authorise(by, 'manage API tokens');
      const { projectId, user } = by;
      const { name, scopes, level = 'read-only', allowedCidrs, expiresInSeconds, neverExpires } = input;
      const wanted = scopes?.includes('all') ? (['all'] as const) : (scopes ?? scopesOfLevel(level));
      const lifetimeMs = expiresInSeconds === undefined ? defaultLifetimeMs[kind] : expiresInSeconds * 1000;
      const request = {
        subject: `person ${user.id}`,
        route: `POST tokens of project ${projectId}`,
        key,
        body: input,
      };
      return runOnce(store, clock, request, async (transaction) => {
        const { token, ...secret } = makeSecret();
        const made = await addApiToken(
          transaction,
          clock.now(),
          {
            projectId,
            name,
            scopes: [...new Set(wanted)],
            allowedCidrs,
            createdBy: user.id,
            lifetimeMs: neverExpires ? null : lifetimeMs,
          },
          secret,
        );
        logOf(adminLog, transaction, by)({ type: 'add', resource: 'api-token', newValue: loggedToken(made) });
        return { answer: { status: 201, body: apiTokenOf(made, clock.now()) }, onlyOnce: { token } };
      });
    },
    rotate: async (by, id, { overlapSeconds }) => {
      authorise(by, 'manage API tokens');
      const place = { projectId: by.projectId, id, overlapMs: overlapSeconds * 1000 };
      return store.transaction(async (transaction) => {
        const { token, ...secret } = makeSecret();
        const rotated = await rotateApiToken(transaction, clock.now(), place, secret);
        logOf(adminLog, transaction, by)({ type: 'update', resource: 'api-token', newValue: loggedToken(rotated) });
        return { ...apiTokenOf(rotated, clock.now()), token };
      });
    },
    revoke: async (by, id) => {
      authorise(by, 'manage API tokens');
      const place = { projectId: by.projectId, id };
      await store.transaction(async (transaction) => {
        const revoked = await revokeApiToken(transaction, clock.now(), place);
        if (!revoked) return;
        logOf(
          adminLog,
          transaction,
          by,
        )({ type: 'remove', resource: 'api-token', previousValue: loggedToken(revoked) });
      });
    },
  };
}

function logOf(
  adminLog: AdminLog,
  transaction: StoreTransaction,
  { projectId, user, address }: TokenManager,
): LogChange {
  return changeLog(adminLog, transaction, projectId, authorOf(user, address));
}

function loggedToken({ id, name, hint, scopes, allowedCidrs, expiresAt }: ApiTokenRecord) {
  return { id, name, hint, scopes: [...scopes], allowedCidrs: [...allowedCidrs], expiresAt: isoTime(expiresAt) };
}

function apiTokenOf(token: ApiTokenRecord, now: number): ApiToken {
  const { id, name, hint, scopes, allowedCidrs, creator, lastUsedAddress, expiresAt } = token;
  const state = stateOf(token, now);
  return {
    id,
    name,
    hint,
    scopes: [...scopes],
    allowedCidrs: [...allowedCidrs],
    createdAt: new Date(token.createdAt).toISOString(),
    createdBy: { id: creator.id, name: fullNameOf(creator), email: creator.email },
    lastUsedAt: isoTime(token.lastUsedAt),
    lastUsedAddress,
    expiresAt: isoTime(expiresAt),
    expiresSoon: state === 'active' && expiresAt !== null && expiresAt - now <= expiresSoonMs,
    revokedAt: isoTime(token.revokedAt),
    state,
  };
}

function stateOf({ revokedAt, expiresAt }: ApiTokenRecord, now: number): ApiToken['state'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

const tokenPath = z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) });
const projectPath = z.object({ project: z.string() });

/** The routes of `#contracts/api-tokens`, for people who have signed in to the project. An API token is not a sign-in. */
export function registerApiTokenRoutes(server: FastifyInstance, guards: Guards, tokens: ApiTokenService): void {
  const onRequest = guards.user.check;
  const managerOf = (request: FastifyRequest): TokenManager => {
    const { user, environment } = guards.user.of(request);
    const { project } = parseInput(projectPath, request.params);
    if (project.normalize() !== environment.projectName.normalize()) throw noSuchProject();
    return { user, projectId: environment.projectId, address: clientAddress(request) };
  };
  const makerOf = (request: FastifyRequest): TokenManager => {
    const { credential } = guards.user.of(request);
    if (credential.kind === 'browser' && credential.session.projectId !== undefined) throw signedInByToken();
    return managerOf(request);
  };
  const path = '/api/projects/:project/tokens';
  server.get(path, { onRequest }, async (request): Promise<ApiTokenList> => {
    return { tokens: await tokens.list(managerOf(request)) };
  });
  server.post(path, { onRequest }, async (request, reply) => {
    const input = parseInput(createApiTokenSchema, request.body);
    return sendOnce(reply, await tokens.create(makerOf(request), input, idempotencyKeyOf(request)));
  });
  server.post(`${path}/:id/rotate`, { onRequest }, async (request): Promise<ApiTokenWithSecret> => {
    const { id } = parseInput(tokenPath, request.params);
    return tokens.rotate(makerOf(request), id, parseInput(rotateApiTokenSchema, request.body ?? {}));
  });
  server.delete(`${path}/:id`, { onRequest }, async (request, reply) => {
    await tokens.revoke(managerOf(request), parseInput(tokenPath, request.params).id);
    return reply.code(204).send();
  });
}

/** An API token lasts longer than the token that somebody signed in with, and does not end with it. */
export function signedInByToken(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Whoever signed in with a token makes no API tokens in the browser.',
    'Sign in with your password or account, or run: vendor-cloud tokens create',
  );
}

function noSuchProject(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'There is no such project, or you have signed in to another one.',
    'Check the name: capital letters count. To work on another project, sign in to it.',
  );
}
