import { errors } from 'oidc-provider';
import { isCloudError } from '#kernel/errors/cloud-error';

/** The platform does not answer, or takes no more. Clients may try again. */
class TemporarilyUnavailable extends errors.OIDCProviderError {
  override error_description = 'The platform of this server does not answer. Try again in a moment.';

  constructor(cause: Error) {
    super(503, 'temporarily_unavailable', { cause });
    this.expose = true;
    this.allow_redirect = false;
  }
}

/** What the platform answers. Rejects with `TemporarilyUnavailable` where it gives no answer that helps. */
export async function askPlatform<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw isCloudError(error) && error.code.startsWith('PLATFORM_') ? new TemporarilyUnavailable(error) : error;
  }
}
