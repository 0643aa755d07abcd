import { CloudError } from '#kernel/errors/cloud-error';

/** The agent has no collection of that name, and none that is near. */
export function unknownCollection(name: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `There is no collection "${name}".`,
    nextSteps: ['See the names of collections in the generated types of the project.'],
  });
}
