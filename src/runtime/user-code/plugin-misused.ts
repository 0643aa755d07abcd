import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The error of a plugin that is given what it cannot use. */
export function pluginMisused(message: string): CloudError {
  return cloudError('CUSTOMIZATION_INVALID', message, 'Correct the call of "use".');
}
