import type { Caller } from '#contracts/public-api/caller';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/**
 * The environment that somebody asks about in the public API.
 *
 * @param wanted its name; the development environment by default.
 */
export function environmentOfCaller(caller: Caller, wanted: string | undefined): string {
  const environment = wanted ?? caller.environment;
  if (environment !== null && caller.environments.includes(environment)) return environment;
  throw new CloudError({
    code: 'USAGE_INVALID',
    message: `The project "${caller.project}" has no environment "${environment ?? ''}".${didYouMean(nearestName(environment ?? '', caller.environments))}`,
    nextSteps: [`Name one of: ${caller.environments.join(', ')}.`],
  });
}
