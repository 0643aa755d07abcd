import { signInIssuerPath } from '#contracts/sign-in';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { parseServerUrl } from './server-url.ts';

/** A provider says one address of itself: the local one that of the number, whatever this machine is called. */
export function issuerOf(serverUrl: string): URL {
  const issuer = new URL(signInIssuerPath, parseServerUrl(serverUrl));
  if (issuer.hostname === 'localhost') issuer.hostname = '127.0.0.1';
  return issuer;
}

/** What the provider, or the library on its behalf, refuses; other errors as they are. */
export function providerError(error: unknown): unknown {
  const inner = error instanceof Error && isCloudError(error.cause) ? error.cause : error;
  if (isCloudError(inner) || !(inner instanceof Error)) return inner;
  const said = 'error' in inner && typeof inner.error === 'string' ? inner.error : 'invalid_response';
  const description =
    'error_description' in inner && typeof inner.error_description === 'string' ? inner.error_description : undefined;
  return cloudError(
    'SIGN_IN_REFUSED',
    `The platform did not sign anybody in: ${description ?? said}.`,
    'Begin to sign in again.',
    {
      details: { error: said, ...(description === undefined ? {} : { error_description: description }) },
      cause: inner,
    },
  );
}
