import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The agent has no collection of that name, and none that is near. */
export function unknownCollection(name: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `There is no collection "${name}".`,
    'See the names of collections in the generated types of the project.',
  );
}
