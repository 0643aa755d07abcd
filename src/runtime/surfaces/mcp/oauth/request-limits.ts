import type { ServerResponse } from 'node:http';
import type { Clock } from '#kernel/ports/clock';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import { createRateCounter } from '../../request/rate-counter.ts';
import { refuseOauth } from './oauth-refusal.ts';

const perMinute = (name: string, quota: number): RatePolicy => ({ name, quota, windowSeconds: 60 });

/** Of one address, and of one client at one address. */
const policies = {
  register: perMinute('register', 10),
  authorize: perMinute('authorize', 60),
  token: perMinute('token', 300),
  tokenOfClient: perMinute('token of client', 60),
};

/** Whether a request goes on; otherwise it is refused. */
export type IsWithinLimit = (limit: keyof typeof policies, key: string, response: ServerResponse) => boolean;

export function createRequestLimits(clock: Clock): IsWithinLimit {
  const counter = createRateCounter(clock);
  return (limit, key, response) => {
    const waitSeconds = counter.take([{ policy: policies[limit], key }]);
    if (waitSeconds === undefined) return true;
    const headers = { 'retry-after': String(waitSeconds) };
    refuseOauth(response, 429, 'temporarily_unavailable', 'Too many requests. Wait, then try again.', headers);
    return false;
  };
}
