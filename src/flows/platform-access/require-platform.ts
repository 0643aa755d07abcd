import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { platformHealth } from '#platform-client/server-url';

/**
 * Make sure that a platform answers at the address that the person gave after `flag`. Other commands take the address from settings, and
 * their errors speak of settings.
 *
 * @throws `PLATFORM_…`
 */
export async function requirePlatform(http: Http, serverUrl: string, flag: string): Promise<void> {
  try {
    await platformHealth(http, serverUrl);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    const { code, message, safeDetails } = error;
    const isElsewhere =
      code === 'PLATFORM_FAILED' || ['ECONNREFUSED', 'ENOTFOUND'].includes(String(safeDetails['errno']));
    if (!isElsewhere) throw error;
    throw cloudError(
      code === 'PLATFORM_FAILED' ? code : 'PLATFORM_UNREACHABLE',
      message,
      `Check the address after ${flag}, and that the platform runs there.`,
      { safeDetails, cause: error },
    );
  }
}
