import { describe, expect, it } from 'vitest';
import { rememberVerified } from '#runtime/surfaces/sign-in/session-tokens';

describe('tokens that were verified', () => {
  it('are not verified again until they end', async () => {
    let now = 0;
    const asked: string[] = [];
    const verify = rememberVerified(
      async (token) => {
        asked.push(token);
        return { claims: token.toUpperCase(), expiresAt: 10 };
      },
      { now: () => now, monotonicMs: () => 0 },
    );
    expect([await verify('a'), await verify('a'), await verify('b')]).toEqual(['A', 'A', 'B']);
    expect(asked).toEqual(['a', 'b']);
    now = 10_000;
    await verify('a');
    expect(asked).toEqual(['a', 'b', 'a']);
  });

  it('are refused each time when they are not valid', async () => {
    let calls = 0;
    const verify = rememberVerified(
      async () => {
        calls += 1;
        throw new Error('no');
      },
      { now: () => 0, monotonicMs: () => 0 },
    );
    await expect(verify('a')).rejects.toThrow('no');
    await expect(verify('a')).rejects.toThrow('no');
    expect(calls).toBe(2);
  });

  it('are forgotten when there are many, the oldest first', async () => {
    let calls = 0;
    const verify = rememberVerified(
      async (token) => {
        calls += 1;
        return { claims: token, expiresAt: 10 };
      },
      { now: () => 0, monotonicMs: () => 0 },
    );
    for (let token = 0; token <= 1000; token++) await verify(String(token));
    await verify('1000');
    expect(calls).toBe(1001);
    await verify('0');
    expect(calls).toBe(1002);
  });

  it('are not displaced by tokens that say nothing', async () => {
    let calls = 0;
    const verify = rememberVerified(
      async (token) => {
        calls += 1;
        return token === 'good' ? { claims: token, expiresAt: 10 } : { claims: undefined, expiresAt: 0 };
      },
      { now: () => 0, monotonicMs: () => 0 },
    );
    await verify('good');
    for (let token = 0; token <= 1000; token++) await verify(String(token));
    calls = 0;
    await verify('good');
    expect(calls).toBe(0);
  });
});
