import { commandLineClientId } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { fetchOverHttp } from '#node/http/fetch-over-http';
import { issuerOf, providerError } from './sign-in-client.ts';

/** A sign-in that somebody ends in a browser, which may run on another machine. */
interface DeviceSignIn {
  /** The page that asks for the code. */
  readonly verificationUrl: string;
  /** The same page with the code filled in. */
  readonly completeUrl: string;
  readonly userCode: string;
  /**
   * Wait for the end; resolves with an access token of a few minutes, which `createToken` takes. Rejects with
   * `SIGN_IN_REFUSED` when the person said no or the code expired.
   */
  finished(): Promise<string>;
}

/** Begin to sign in without a browser of one's own (RFC 8628). Rejects with `SIGN_IN_REFUSED` or an error `PLATFORM_…`. */
export async function beginDeviceSignIn(serverUrl: string, http: Http): Promise<DeviceSignIn> {
  const client = await import('openid-client');
  const issuer = issuerOf(serverUrl);
  try {
    const configuration = await client.discovery(issuer, commandLineClientId, undefined, client.None(), {
      [client.customFetch]: fetchOverHttp(http, () => ({})),
      // Plain http passes for this machine only, as everywhere the address of the platform is read.
      execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
    });
    const begun = await client.initiateDeviceAuthorization(configuration, { scope: 'openid' });
    return {
      verificationUrl: begun.verification_uri,
      completeUrl: begun.verification_uri_complete ?? begun.verification_uri,
      userCode: begun.user_code,
      finished: () =>
        client.pollDeviceAuthorizationGrant(configuration, begun).then(
          (tokens) => tokens.access_token,
          (error: unknown) => {
            throw hasExpired(error) ? expired(error) : providerError(error);
          },
        ),
    };
  } catch (error) {
    throw providerError(error);
  }
}

/** The library asks no longer than the code lasts. It says the end of that time as it says any other one. */
function hasExpired(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OAUTH_TIMEOUT';
}

function expired(cause: unknown): CloudError {
  return cloudError(
    'SIGN_IN_REFUSED',
    'The code expired before anybody signed in with it.',
    'Begin to sign in again.',
    { details: { error: 'expired_token' }, cause },
  );
}
