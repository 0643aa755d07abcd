import type { Caller } from '#contracts/public-api/caller';
import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Project } from '#project/index';

/**
 * The environment that somebody asks about in the public API.
 *
 * @param wanted its name; by default that of `SERVICE_ENV` or of the link, else the development environment.
 */
export function environmentOfCaller(caller: Caller, { env }: Pick<Project, 'env'>, wanted: string | undefined): string {
  const environment = wanted ?? env.get('SERVICE_ENV') ?? caller.environment;
  if (environment !== null && caller.environments.includes(environment)) return environment;
  throw cloudError(
    'USAGE_INVALID',
    `The project "${caller.project}" has no environment "${environment ?? ''}".${didYouMean(nearestName(environment ?? '', caller.environments))}`,
    `Name one of: ${caller.environments.join(', ')}.`,
  );
}
