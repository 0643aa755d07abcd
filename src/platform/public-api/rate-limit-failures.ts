import type { Clock } from '#kernel/ports/clock';
import { applyPolicy, type RatePolicy } from '#kernel/rates/rate-policy';
import { rateLimited } from './rate-limit-headers.ts';

const failurePolicy: RatePolicy = { name: 'failures', quota: 30, windowSeconds: 60 };
const mostAddresses = 10_000;

/**
 * Count a request from an address whose token is wrong; throws `REQUEST_RATE_LIMITED` for an address that sends too many. Each process counts for
 * itself. Valid tokens are never counted: who shares an address with an attacker is not locked out.
 */
export type CountFailure = (address: string) => void;

export function createFailureCount(clock: Clock): CountFailure {
  /** The one that failed longest ago comes first. */
  const spent = new Map<string, number>();
  return (address) => {
    const state = applyPolicy(failurePolicy, spent.get(address), clock.now() * 1000, 1);
    spent.delete(address);
    spent.set(address, state.spentUntil);
    const [oldest] = spent.keys();
    if (spent.size > mostAddresses && oldest !== undefined) spent.delete(oldest);
    if (state.untilEnough > 0) throw rateLimited({ isTaken: false, states: [state] });
  };
}
