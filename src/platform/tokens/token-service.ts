import { timingSafeEqual } from 'node:crypto';
import type { TokenAudience } from '#contracts/printed-tokens';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import type { TokenRecord, TokenRepository } from './token-repository.ts';

interface TokenOwner {
  readonly userId: number;
  readonly environmentId: number;
}

interface SignedInOwner extends TokenOwner {
  /** Whether they have given a second factor. */
  readonly hasSecondFactor: boolean;
}

/** What a token of the API of the platform lets its owner do. */
interface VerifiedToken extends SignedInOwner {
  readonly id: number;
  readonly isReadOnly: boolean;
  /** It is not a sign-in: it was printed from one. */
  readonly isPrinted: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

interface TokenWish {
  readonly audience: TokenAudience;
  readonly environmentId: number;
  readonly lifetimeMs: number;
  readonly isReadOnly: boolean;
  readonly address: string;
}

/** A token that is for an agent or its MCP server, which exchange it. */
interface PrintedForAgent extends TokenOwner {
  readonly audience: 'agent' | 'mcp';
  readonly isReadOnly: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Makes, checks and revokes the tokens of people. */
export interface TokenService {
  /** A new token, shown only here. Those made before for the same owner and purpose stop working. */
  issue(owner: SignedInOwner, purpose: string, lifetimeMs: number, address?: string): Promise<string>;
  /**
   * Who the token belongs to. Rejects with `REQUEST_UNAUTHENTICATED` when it is unknown, expired or revoked, and with
   * `SECOND_FACTOR_MISSING` when its owner needs a second factor and had given none.
   */
  verify(token: string): Promise<VerifiedToken>;
  /**
   * A further token of somebody, which ends with the sign-in that it is printed from, or before. Rejects with
   * `REQUEST_UNAUTHENTICATED`, and with `REQUEST_FORBIDDEN` for a token that was printed itself.
   */
  print(signIn: string, wish: TokenWish): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /**
   * A token for the API for somebody who signed in with a token. It is for the same environment, and ends with that one or before, as
   * a printed token does. Rejects with `REQUEST_UNAUTHENTICATED` where that one was revoked.
   */
  issueFrom(
    signIn: { readonly tokenId: number; readonly expiresAt: number },
    owner: SignedInOwner,
    purpose: string,
    wish: { readonly lifetimeMs: number; readonly address: string },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>;
  /** The sign-in of that id; `undefined` for one that is no longer good, and for a token that was printed. */
  findSignIn(id: number): Promise<(TokenOwner & { readonly expiresAt: number }) | undefined>;
  /** Whose a token is that was printed for an agent; `undefined` for one that is no longer good, and for any other. */
  findPrinted(token: string): Promise<PrintedForAgent | undefined>;
  revoke(token: string): Promise<void>;
}

/** The prefix lets a secret scanner know a token that was published by mistake. */
const prefix = 'vcu_';
const tokenPattern = /^vcu_[0-9a-f]{64}$/;

/** @param needsSecondFactor whether a role of somebody demands a second factor. */
export function createTokenService(
  tokens: TokenRepository,
  clock: Clock,
  random: Random,
  needsSecondFactor: (userId: number) => Promise<boolean>,
): TokenService {
  const find = createTokenFinder(tokens, clock, needsSecondFactor);
  return {
    issue: async ({ userId, environmentId, hasSecondFactor }, purpose, lifetimeMs, address) => {
      const token = prefix + random.hex(32);
      await tokens.replace({
        tokenHash: sha256Hex(token),
        userId,
        environmentId,
        hasSecondFactor,
        purpose,
        address: address ?? null,
        expiresAt: clock.now() + lifetimeMs,
      });
      return token;
    },
    verify: async (token) => {
      const { audience, printedFrom, ...found } = await find(token);
      if (audience !== 'platform') throw refused('was printed for an agent');
      const { id, userId, environmentId, isReadOnly, hasSecondFactor, createdAt } = found;
      return { id, userId, environmentId, isReadOnly, hasSecondFactor, createdAt, isPrinted: printedFrom !== null };
    },
    print: async (signIn, { lifetimeMs, ...wish }) => {
      const { id, userId, hasSecondFactor, expiresAt: end, printedFrom, audience } = await find(signIn);
      if (printedFrom !== null || audience !== 'platform') throw noSignIn();
      const token = prefix + random.hex(32);
      const expiresAt = Math.min(clock.now() + lifetimeMs, end);
      const purpose = `printed for ${purposes[wish.audience]}${wish.isReadOnly ? ', to read only' : ''}`;
      const owner = { userId, hasSecondFactor };
      const made = { ...wish, ...owner, tokenHash: sha256Hex(token), expiresAt, purpose, printedFrom: id };
      if (await tokens.addPrinted(made)) return { token, expiresAt };
      throw refused('was revoked');
    },
    issueFrom: async ({ tokenId, expiresAt: end }, owner, purpose, { lifetimeMs, address }) => {
      const token = prefix + random.hex(32);
      const expiresAt = Math.min(clock.now() + lifetimeMs, end);
      const kind = { audience: 'platform', isReadOnly: false } as const;
      const made = {
        ...owner,
        ...kind,
        tokenHash: sha256Hex(token),
        expiresAt,
        purpose,
        address,
        printedFrom: tokenId,
      };
      if (await tokens.addPrinted(made)) return { token, expiresAt };
      throw refused('was revoked');
    },
    findSignIn: async (id) => {
      const record = await tokens.findById(id);
      const isGood = record?.revokedAt === null && record.printedFrom === null && record.expiresAt > clock.now();
      return isGood ? record : undefined;
    },
    findPrinted: async (token) => {
      const found = await find(token).catch((error: unknown) => {
        if (isCloudError(error) && unusable.has(error.code)) return undefined;
        throw error;
      });
      if (!found || found.audience === 'platform') return undefined;
      const { userId, environmentId, audience, isReadOnly, expiresAt } = found;
      return { userId, environmentId, audience, isReadOnly, expiresAt };
    },
    revoke: (token) => tokens.revoke(sha256Hex(token)),
  };
}

/** Finds good tokens by their texts, and rejects for any other. */
function createTokenFinder(
  tokens: TokenRepository,
  clock: Clock,
  needsSecondFactor: (userId: number) => Promise<boolean>,
) {
  return async (token: string): Promise<TokenRecord> => {
    if (!tokenPattern.test(token)) throw refused('is not one of this platform');
    const tokenHash = sha256Hex(token);
    const record = await tokens.findByHash(tokenHash);
    if (!record || !isSameHash(record, tokenHash)) throw refused('is not one of this platform');
    if (record.revokedAt !== null) throw refused('was revoked');
    if (record.expiresAt <= clock.now()) throw refused('has expired');
    if (!record.hasSecondFactor && (await needsSecondFactor(record.userId))) throw secondFactorMissing();
    return record;
  };
}

const unusable: ReadonlySet<string> = new Set(['REQUEST_UNAUTHENTICATED', 'SECOND_FACTOR_MISSING']);

const purposes: Record<TokenAudience, string> = {
  agent: 'the agent',
  mcp: 'the MCP server',
  platform: 'the platform',
};

function isSameHash(record: TokenRecord, tokenHash: string): boolean {
  return timingSafeEqual(Buffer.from(record.tokenHash, 'hex'), Buffer.from(tokenHash, 'hex'));
}

function secondFactorMissing(): CloudError {
  return cloudError(
    'SECOND_FACTOR_MISSING',
    'A role of yours demands a second factor, and you signed in without one.',
    'Sign in again: vendor-cloud login. The page asks for the second factor, or sets one up.',
  );
}

function noSignIn(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'A token that was printed prints no other one.',
    'Print it from your sign-in: vendor-cloud login, without SERVICE_AUTH_TOKEN.',
  );
}

function refused(why: string): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    `The token ${why}.`,
    'Log in again, or set SERVICE_AUTH_TOKEN to a token of this platform.',
  );
}
