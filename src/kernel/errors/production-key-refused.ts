import { type CloudError, cloudError } from './cloud-error.ts';

/** @param platform Its address, or words for it. */
export function productionKeyRefused(environment: string, platform: string): CloudError {
  return cloudError(
    'PRODUCTION_KEY_REFUSED',
    `SERVICE_ENV_SECRET is the secret of "${environment}", a production environment of ${platform}.`,
    [
      'Unset SERVICE_ENV_SECRET in this shell, or remove it from .env: the local platform makes a secret of its own.',
      'To serve production, use "vendor-cloud serve".',
    ],
  );
}
