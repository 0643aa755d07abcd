import { timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '#host/system/digest';
import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { TokenRecord, TokenRepository } from './token-repository.ts';

export interface TokenOwner {
  readonly userId: number;
  readonly environmentId: number;
}

/** Makes, checks and revokes the tokens of people. */
export interface TokenService {
  /** A new token, shown only here. Those made before for the same owner and purpose stop working. */
  issue(owner: TokenOwner, purpose: string, lifetimeMs: number, address?: string): Promise<string>;
  /** Who the token belongs to; rejects with `REQUEST_UNAUTHENTICATED` when it is unknown, expired or revoked. */
  verify(token: string): Promise<TokenOwner>;
  revoke(token: string): Promise<void>;
}

/** The prefix lets a secret scanner know a token that was published by mistake. */
const prefix = 'vcu_';
const tokenPattern = /^vcu_[0-9a-f]{64}$/;

export function createTokenService(tokens: TokenRepository, clock: Clock, random: Random): TokenService {
  return {
    issue: async ({ userId, environmentId }, purpose, lifetimeMs, address) => {
      const token = prefix + random.hex(32);
      await tokens.replace({
        tokenHash: sha256Hex(token),
        userId,
        environmentId,
        purpose,
        address: address ?? null,
        expiresAt: clock.now() + lifetimeMs,
      });
      return token;
    },
    verify: async (token) => {
      if (!tokenPattern.test(token)) throw refused('is not one of this platform');
      const tokenHash = sha256Hex(token);
      const record = await tokens.findByHash(tokenHash);
      if (!record || !isSameHash(record, tokenHash)) throw refused('is not one of this platform');
      if (record.revokedAt !== null) throw refused('was revoked');
      if (record.expiresAt <= clock.now()) throw refused('has expired');
      return { userId: record.userId, environmentId: record.environmentId };
    },
    revoke: (token) => tokens.revoke(sha256Hex(token)),
  };
}

function isSameHash(record: TokenRecord, tokenHash: string): boolean {
  return timingSafeEqual(Buffer.from(record.tokenHash, 'hex'), Buffer.from(tokenHash, 'hex'));
}

function refused(why: string): CloudError {
  return new CloudError({
    code: 'REQUEST_UNAUTHENTICATED',
    message: `The token ${why}.`,
    nextSteps: ['Log in again, or set SERVICE_AUTH_TOKEN to a token of this platform.'],
  });
}
