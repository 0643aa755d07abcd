import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { TypeProblem } from '#project/index';

/** What the compiler says of a place, as an error of a check. */
export function typeError({ code, message, ...location }: TypeProblem): CloudError {
  return cloudError(
    'BUILD_TYPES_WRONG',
    `${message} (${code})`,
    'Correct the place shown. Where the database has changed: vendor-cloud update-typings',
    { location },
  );
}
