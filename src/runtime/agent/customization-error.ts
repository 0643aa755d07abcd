import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { locateInProject } from './error-location.ts';

/**
 * What the customization code threw, as `CUSTOMIZATION_FAILED` with the place in the project when the stack has one.
 * Errors of ours stay what they are.
 *
 * @param doing What the code was doing: "The customization code", "The field …".
 */
export function customizationError(thrown: unknown, doing: string, projectRoot: string | undefined): CloudError {
  if (isCloudError(thrown) && (thrown.code !== 'CUSTOMIZATION_FAILED' || thrown.location)) return thrown;
  const cause = isCloudError(thrown) ? (thrown.cause ?? thrown) : thrown;
  const location = locateInProject(cause, projectRoot);
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message: isCloudError(thrown) ? thrown.message : `${doing} threw ${reason}`,
    nextSteps: [location ? 'Correct the place shown and save.' : 'Correct the code and save.'],
    ...(location ? { location } : {}),
    cause,
  });
}
