import { CloudError } from '#kernel/errors/cloud-error';

/** The error of a plugin that is given what it cannot use. */
export function pluginMisused(message: string): CloudError {
  return new CloudError({
    code: 'CUSTOMIZATION_INVALID',
    message,
    nextSteps: ['Correct the call of "use".'],
  });
}
