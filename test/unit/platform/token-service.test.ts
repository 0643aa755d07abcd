import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import type { TokenRecord, TokenRepository } from '#platform/tokens/token-repository';
import { createTokenService } from '#platform/tokens/token-service';

/** Gives the same record for every hash, as a store with a broken index would. */
const confusedRepository: TokenRepository = {
  replace: async () => undefined,
  findByHash: async (): Promise<TokenRecord> => ({
    id: 1,
    tokenHash: '0'.repeat(64),
    userId: 1,
    environmentId: 1,
    expiresAt: 2,
    revokedAt: null,
    printedFrom: null,
    audience: 'platform',
    isReadOnly: false,
    hasSecondFactor: false,
    createdAt: 0,
  }),
  findById: async () => undefined,
  addPrinted: async () => true,
  revoke: async () => undefined,
};

describe('the token service', () => {
  const service = createTokenService(
    confusedRepository,
    { now: () => 0, monotonicMs: () => 0 },
    systemRandom,
    async () => false,
  );

  it('compares the hash itself, not only what the store finds', async () => {
    await expect(service.verify(`vcu_${'a'.repeat(64)}`)).rejects.toMatchObject({ code: 'REQUEST_UNAUTHENTICATED' });
  });

  it.each(['', 'vcu_', `vcu_${'A'.repeat(64)}`, `vcu_${'a'.repeat(63)}`, 'a'.repeat(64)])(
    'refuses the malformed token %j',
    async (token) => {
      await expect(service.verify(token)).rejects.toMatchObject({ code: 'REQUEST_UNAUTHENTICATED' });
    },
  );

  it('makes tokens of 256 random bits that do not repeat', async () => {
    const issue = () => service.issue({ userId: 1, environmentId: 1, hasSecondFactor: false }, 'test', 1000);
    const [one, two] = await Promise.all([issue(), issue()]);
    expect(one).toMatch(/^vcu_[0-9a-f]{64}$/);
    expect(one).not.toBe(two);
  });
});
