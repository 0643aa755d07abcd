import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { PolicyState } from '#kernel/rates/rate-policy';
import type { Quota } from './rate-limit-service.ts';

/**
 * How much a caller may still ask for. `X-RateLimit-…` and `RateLimit` tell the tightest policy. Its reset is the time at which one
 * unit more comes back, so a caller that waits for it when nothing remains is never refused.
 */
export function rateLimitHeaders({ states }: Quota, nowMs: number): Record<string, string> {
  const tightest = tightestOf(states);
  if (!tightest) return {};
  const { policy, remaining, untilNext } = tightest;
  return {
    'x-ratelimit-limit': String(policy.quota),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(Math.ceil((nowMs * 1000 + untilNext) / 1_000_000)),
    'ratelimit-policy': states
      .map(({ policy: { name, quota, windowSeconds } }) => `"${name}";q=${quota};w=${windowSeconds}`)
      .join(', '),
    ratelimit: `"${policy.name}";r=${remaining};t=${secondsOf(untilNext)}`,
  };
}

/** The refusal of a request that there is no quota for. */
export function rateLimited({ states }: Quota): CloudError {
  const violated = states.filter(({ untilEnough }) => untilEnough > 0);
  const seconds = Math.max(1, ...violated.map(({ untilEnough }) => secondsOf(untilEnough)));
  return cloudError(
    'REQUEST_RATE_LIMITED',
    `Rate limit exceeded. Please retry after ${seconds} seconds.`,
    'Wait as long as the header Retry-After says.',
    { safeDetails: { retryAfterSeconds: seconds, violatedPolicies: violated.map(({ policy }) => policy.name) } },
  );
}

function tightestOf(states: readonly PolicyState[]): PolicyState | undefined {
  return states.toSorted((one, other) => one.remaining - other.remaining || other.untilNext - one.untilNext)[0];
}

function secondsOf(microseconds: number): number {
  return Math.ceil(microseconds / 1_000_000);
}
