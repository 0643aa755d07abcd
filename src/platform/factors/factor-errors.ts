import { factorPagePath } from '#contracts/second-factor';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

export function lastNeededFactor(name: string): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `"${name}" is the only second factor, and a role demands one.`,
    `Add another one first, on the page ${factorPagePath} of the platform.`,
  );
}

export function noSuchFactor(id: number): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `There is no second factor ${id}.`,
    'List what there is: vendor-cloud factors list',
  );
}

/** An answer of a browser that does not hold. It says no more: who guesses learns nothing. */
export function wrongAnswer(message: string, nextStep: string, cause?: unknown): CloudError {
  return cloudError('SIGN_IN_REFUSED', message, nextStep, cause === undefined ? {} : { cause });
}
