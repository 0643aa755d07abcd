import { type Adapter, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#kernel/ports/clock';
import { applyPolicy, type RatePolicy } from '#kernel/rates/rate-policy';

/** Codes that an address may begin, and codes that it may enter wrongly. */
const codes: RatePolicy = { name: 'device codes', quota: 30, windowSeconds: 600 };
const guesses: RatePolicy = { name: 'user codes', quota: 10, windowSeconds: 600 };
/** RFC 8628, 3.2 and 3.5: how long a device waits between two questions, and how much longer each time that it does not. */
const intervalSeconds = 5;
/** A question may travel faster than the one before. */
const leewayMs = 1_000;
const mostKept = 10_000;

/** Bounds what a stranger may do with codes of devices. Each process counts for itself. */
export interface DeviceLimits {
  /** Counts a new code of an address. Throws an error of the provider where there were too many. */
  begin(ctx: KoaContextWithOIDC, address: string | undefined): void;
  /** Whether an address has entered too many wrong codes. */
  isGuessing(address: string | undefined): boolean;
  /** The same store of codes, in which an address that guesses finds none. */
  guarded(adapter: Adapter, address: () => string | undefined): Adapter;
  /** Completes the answers to devices: the interval, and `slow_down` for one that asks too often. */
  answer(ctx: KoaContextWithOIDC): void;
}

export function createDeviceLimits(clock: Clock): DeviceLimits {
  const begun = createBoundedMap<number>();
  const wrong = createBoundedMap<number>();
  const asked = createBoundedMap<{ readonly atMs: number; readonly intervalMs: number }>();

  /** Seconds to wait; 0 where there was enough quota: `cost` is taken from it. An address of this machine stands for anybody. */
  const take = (policy: RatePolicy, spent: BoundedMap<number>, address: string | undefined, cost: number): number => {
    if (address === undefined) return 0;
    const state = applyPolicy(policy, spent.get(address), clock.now() * 1000, cost);
    spent.set(address, state.spentUntil);
    return Math.ceil(state.untilEnough / 1_000_000);
  };
  const isGuessing = (address: string | undefined) => {
    if (address === undefined) return false;
    return applyPolicy(guesses, wrong.get(address), clock.now() * 1000, 1).untilEnough > 0;
  };
  const asksTooOften = (deviceCode: string): boolean => {
    const now = clock.now();
    const before = asked.get(deviceCode);
    const intervalMs = before?.intervalMs ?? intervalSeconds * 1000;
    const isTooOften = before !== undefined && now - before.atMs < intervalMs - leewayMs;
    asked.set(deviceCode, { atMs: now, intervalMs: intervalMs + (isTooOften ? intervalSeconds * 1000 : 0) });
    return isTooOften;
  };

  return {
    begin: (ctx, address) => {
      const seconds = take(codes, begun, address, 1);
      if (seconds === 0) return;
      ctx.set('retry-after', String(seconds));
      throw tooManyCodes(seconds);
    },
    isGuessing,
    guarded: (adapter, address) => ({
      ...adapter,
      findByUserCode: async (userCode) => {
        if (isGuessing(address())) return undefined;
        const found = await adapter.findByUserCode(userCode);
        if (!found) take(guesses, wrong, address(), 1);
        return found;
      },
    }),
    answer: (ctx) => {
      if (ctx.oidc?.route === 'device_authorization' && ctx.status === 200) {
        ctx.body = { ...(ctx.body as object), interval: intervalSeconds };
      }
      const deviceCode = ctx.oidc?.params?.['device_code'];
      const isPending = (ctx.body as { readonly error?: unknown } | undefined)?.error === 'authorization_pending';
      if (ctx.oidc?.route !== 'token' || !isPending || typeof deviceCode !== 'string') return;
      if (asksTooOften(deviceCode)) ctx.body = { error: 'slow_down', error_description: slowDown };
    },
  };
}

const slowDown = `The device asks too often. It waits ${intervalSeconds} seconds longer between two questions from now on.`;

function tooManyCodes(seconds: number): errors.OIDCProviderError {
  const description = `Too many devices began to sign in from this address. Wait ${seconds} seconds.`;
  const error = new errors.CustomOIDCProviderError('temporarily_unavailable', description);
  error.statusCode = 429;
  error.status = 429;
  return error;
}

interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Forgets what was set longest ago. */
function createBoundedMap<Value>(): BoundedMap<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    },
  };
}
