import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { hashOfCode, makeAppSecret, makeRecoveryCodes, stepOfCode } from '#platform/factors/one-time-codes';

/** The key of RFC 6238, appendix B: `12345678901234567890`. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an authenticator app', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ])('at second %i are those of RFC 6238', async (second, code) => {
    expect(await stepOfCode(secret, code, second * 1000)).toBe(Math.floor(second / 30));
  });

  it.each([
    [0, 1],
    [29, 1],
    [89, 1],
    [90, undefined],
    [3000, undefined],
  ])('of step 1 are good in the steps 0 to 2: at second %i', async (second, step) => {
    expect(await stepOfCode(secret, '287082', second * 1000)).toBe(step);
  });

  it.each(['287 082', ' 287082 '])('are taken as people type them: "%s"', async (typed) => {
    expect(await stepOfCode(secret, typed, 59_000)).toBe(1);
  });

  it.each(['', '28708', '2870822', '28708a', '-287082', '２８７０８２'])('are nothing else: "%s"', async (typed) => {
    expect(await stepOfCode(secret, typed, 59_000)).toBeUndefined();
  });

  it('come from a secret of 160 bits', async () => {
    const made = await makeAppSecret(systemRandom);
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(await makeAppSecret(systemRandom)).not.toBe(made);
  });
});

describe('recovery codes', () => {
  it('are ten, each of four groups without letters that look alike', () => {
    const codes = makeRecoveryCodes(systemRandom);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^(?:[a-hjkmnp-z02-9]{4}-){3}[a-hjkmnp-z02-9]{4}$/);
  });

  it.each(['ABCD-EFGH-JKMN-PQR0', 'abcdefghjkmnpqro', ' abcd efgh jkmn pqr0 '])('are the same as "%s"', (typed) => {
    expect(hashOfCode(typed)).toBe(hashOfCode('abcd-efgh-jkmn-pqr0'));
  });
});
