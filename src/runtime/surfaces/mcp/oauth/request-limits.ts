import type { ServerResponse } from 'node:http';
import type { Clock } from '#kernel/ports/clock';
import { refuseOauth } from './oauth-refusal.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';

/** Requests in a minute: from one address, and of one client at one address. */
const perMinute = { register: 10, authorize: 60, token: 300, tokenOfClient: 60 } as const;

/** Whether a request goes on; otherwise it is refused. */
export type IsWithinLimit = (limit: keyof typeof perMinute, key: string, response: ServerResponse) => boolean;

export function createRequestLimits(clock: Clock): IsWithinLimit {
  const limits: Readonly<Record<keyof typeof perMinute, RateLimit>> = {
    register: createRateLimit(perMinute.register, clock),
    authorize: createRateLimit(perMinute.authorize, clock),
    token: createRateLimit(perMinute.token, clock),
    tokenOfClient: createRateLimit(perMinute.tokenOfClient, clock),
  };
  return (limit, key, response) => {
    const waitSeconds = limits[limit].take(key);
    if (waitSeconds === undefined) return true;
    const headers = { 'retry-after': String(waitSeconds) };
    refuseOauth(response, 429, 'temporarily_unavailable', 'Too many requests. Wait, then try again.', headers);
    return false;
  };
}
