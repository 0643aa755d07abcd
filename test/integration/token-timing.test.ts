import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import { createApiTokenRepository } from '#platform/api-tokens/api-token-repository';
import { makeApiTokenSecret } from '#platform/api-tokens/api-token-secret';
import { createAuthenticator } from '#platform/public-api/authenticate';
import { startPublicApi } from '../helpers/public-api.ts';

const samplesEach = 100_000;
/** This many tokens of each kind take turns, so that nothing about one text decides. */
const tokensEach = 20;
/** Characters that the hash of a near token shares with the stored one. */
const sharedLength = 3;
const isWanted = process.env['TIMING'] === '1';
const reason = isWanted ? '' : ' (skipped: takes a minute on a quiet machine; set TIMING=1)';

/** Welch's t of two samples. Beyond 4.5 they differ, as dudect has it. */
function welchT(one: readonly number[], other: readonly number[]): number {
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  const variance = (all: readonly number[], middle: number) =>
    all.reduce((sum, each) => sum + (each - middle) ** 2, 0) / (all.length - 1);
  const [a, b] = [mean(one), mean(other)];
  return (a - b) / Math.sqrt(variance(one, a) / one.length + variance(other, b) / other.length);
}

/** Without what the machine did meanwhile. */
function withoutSlowest(samples: readonly number[]): readonly number[] {
  return samples.toSorted((one, other) => one - other).slice(0, Math.floor(samples.length * 0.9));
}

function wrongTokens(isRight: (hash: string) => boolean): readonly string[] {
  const found: string[] = [];
  while (found.length < tokensEach) {
    const token = makeApiTokenSecret('live', systemRandom);
    if (isRight(sha256Hex(token))) found.push(token);
  }
  return found;
}

describe.skipIf(!isWanted)(`the time to refuse a token${reason}`, () => {
  it('does not tell how much of a hash is right', { timeout: 600_000 }, async () => {
    const { store, time, identity, tokens, makeToken } = await startPublicApi();
    const prefix = sha256Hex((await makeToken()).token).slice(0, sharedLength);
    const authenticate = createAuthenticator({
      apiTokens: createApiTokenRepository(store, time.clock),
      personTokens: tokens,
      identity,
      clock: time.clock,
      noteUse: () => undefined,
    });
    const near = wrongTokens((hash) => hash.startsWith(prefix));
    const far = wrongTokens((hash) => !hash.startsWith(prefix.slice(0, 1)));
    const times = { near: [] as number[], far: [] as number[] };
    const measure = async (kind: 'near' | 'far', turn: number) => {
      const token = (kind === 'near' ? near : far)[turn % tokensEach];
      const request = { raw: { rawHeaders: [] }, headers: { authorization: `Bearer ${token}` }, ip: '192.0.2.1' };
      const begun = performance.now();
      const refused = await authenticate(request as never).catch((error: unknown) => error);
      times[kind].push(performance.now() - begun);
      expect(refused).toMatchObject({ code: 'API_TOKEN_INVALID' });
    };
    for (let turn = -2_000; turn < samplesEach; turn++) {
      const order = Math.random() < 0.5 ? (['near', 'far'] as const) : (['far', 'near'] as const);
      for (const kind of order) await measure(kind, Math.abs(turn));
    }
    const t = welchT(withoutSlowest(times.near.slice(2_000)), withoutSlowest(times.far.slice(2_000)));
    expect(Math.abs(t)).toBeLessThan(4.5);
  });
});
