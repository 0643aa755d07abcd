import type { Configuration, CustomFetch } from 'openid-client';
import { sessionEndClaim, signInIssuerPath } from '#contracts/sign-in';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { fetchOverHttp } from '#node/http/fetch-over-http';
import { parseServerUrl } from './server-url.ts';

/** What a sign-in is begun with, and must be ended with. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Signing people in by OpenID Connect: authorization code with PKCE. */
export interface SignInClient {
  /**
   * Where to send the browser.
   *
   * @param callbackUrl where it comes back to, unless the platform says another place.
   */
  begin(state: string, callbackUrl: string | undefined): Promise<{ readonly authorizationUrl: string } & SignInSecrets>;
  /**
   * Who came back.
   *
   * @param query of the address the browser came back to.
   * @throws `SIGN_IN_REFUSED`, with what the provider says in `details`.
   */
  finish(query: URLSearchParams, secrets: SignInSecrets, callbackUrl: string | undefined): Promise<SignedIn>;
}

/** Somebody who has signed in. */
interface SignedIn {
  readonly personId: number;
  /** To ask the platform about them. */
  readonly accessToken: string;
  /** When what this leads to has to end, in seconds since the epoch; absent where they signed in with no token. */
  readonly endsAt?: number;
}

interface SignInClientOptions {
  readonly serverUrl: string;
  readonly http: Http;
  readonly envSecret: string | undefined;
}

const scope = 'openid email profile';

/** The agent registers with the first sign-in and once for each callback; a failure is not kept. */
export function createSignInClient({ serverUrl, http, envSecret = '' }: SignInClientOptions): SignInClient {
  const issuer = issuerOf(serverUrl);
  const registrations = new Map<string, Promise<Configuration>>();
  const registered = (callbackUrl: string | undefined) => {
    const key = callbackUrl ?? '';
    const known = registrations.get(key);
    if (known) return known;
    const registration = register(issuer, callbackUrl, envSecret, http).catch((error: unknown) => {
      registrations.delete(key);
      throw providerError(error);
    });
    registrations.set(key, registration);
    return registration;
  };

  return {
    async begin(state, callbackUrl) {
      const client = await import('openid-client');
      const configuration = await registered(callbackUrl);
      const secrets = { state, nonce: client.randomNonce(), codeVerifier: client.randomPKCECodeVerifier() };
      const url = client.buildAuthorizationUrl(configuration, {
        ...redirectOf(configuration),
        scope,
        state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { authorizationUrl: url.href, ...secrets };
    },
    async finish(query, { state, nonce, codeVerifier }, callbackUrl) {
      const client = await import('openid-client');
      const configuration = await registered(callbackUrl);
      const { redirect_uri = issuer.href } = redirectOf(configuration);
      const current = new URL(redirect_uri);
      current.search = query.toString();
      try {
        const tokens = await client.authorizationCodeGrant(configuration, current, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        // `7`, or `7.12` for the person 7 who signed in with the token 12.
        const claims = tokens.claims();
        const personId = Number.parseInt(claims?.sub ?? '', 10);
        const endsAt = claims?.[sessionEndClaim];
        return { personId, accessToken: tokens.access_token, ...(typeof endsAt === 'number' ? { endsAt } : {}) };
      } catch (error) {
        throw providerError(error);
      }
    },
  };
}

async function register(
  issuer: URL,
  callbackUrl: string | undefined,
  envSecret: string,
  http: Http,
): Promise<Configuration> {
  const client = await import('openid-client');
  const metadata = {
    token_endpoint_auth_method: 'none',
    ...(callbackUrl === undefined ? {} : { redirect_uris: [callbackUrl] }),
  };
  return client.dynamicClientRegistration(issuer, metadata, client.None(), {
    initialAccessToken: envSecret,
    [client.customFetch]: fetchWith(http, issuer.origin, envSecret),
    // Plain http passes for this machine only, as everywhere the address of the platform is read.
    execute: issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [],
  });
}

function redirectOf(configuration: Configuration): { readonly redirect_uri?: string } {
  const uris = configuration.clientMetadata()['redirect_uris'];
  const [first]: unknown[] = Array.isArray(uris) ? uris : [];
  return typeof first === 'string' ? { redirect_uri: first } : {};
}

/** The secret goes to the platform only. */
function fetchWith(http: Http, platformOrigin: string, envSecret: string): CustomFetch {
  return fetchOverHttp(http, (url, method) =>
    url.origin === platformOrigin && method === 'GET' ? { 'service-secret-key': envSecret } : {},
  );
}

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
