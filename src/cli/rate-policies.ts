import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { RatePolicy } from '#platform/index';

const windowSeconds = { min: 60, hour: 3600, day: 86_400 } as const;

/** What callers of the public API may ask for, from texts such as `60/min`; `undefined` for none. Throws `USAGE_INVALID`. */
export function parseRatePolicies(limits: readonly string[]): readonly RatePolicy[] | undefined {
  if (limits.length === 0) return undefined;
  const policies = limits.map(parseRatePolicy);
  const names = policies.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw invalid(`There are two limits for "${twice}".`);
  return policies;
}

function parseRatePolicy(text: string): RatePolicy {
  const [, quota = '', name = ''] = /^([1-9]\d{0,8})\/(min|hour|day)$/.exec(text) ?? [];
  if (quota === '') throw invalid(`"${text}" is no limit.`);
  return { name, quota: Number(quota), windowSeconds: windowSeconds[name as keyof typeof windowSeconds] };
}

function invalid(message: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    message,
    'Write a number and a window, each window once: 60/min, 1000/hour, 10000/day.',
  );
}
