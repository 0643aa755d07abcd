import type { RateLimit } from '#contracts/public-api/rate-limit';
import type { PublicApi } from './public-api.ts';
import type { RateLimitService } from './rate-limit-service.ts';

/** `GET /v1/rate-limit`: what is left of each quota. Asking is free. */
export function addRateLimitRoute(api: PublicApi, limits: RateLimitService): void {
  api.add({
    method: 'GET',
    path: '/rate-limit',
    scope: undefined,
    cost: 0,
    handle: async ({ caller }): Promise<RateLimit> => {
      const { states } = await limits.look(caller.subject);
      return {
        object: 'rate-limit',
        policies: states.map(({ policy, remaining, untilNext }) => ({
          name: policy.name,
          limit: policy.quota,
          windowSeconds: policy.windowSeconds,
          remaining,
          nextInSeconds: Math.ceil(untilNext / 1_000_000),
        })),
      };
    },
  });
}
