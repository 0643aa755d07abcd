import { type Configuration, type Grant, Provider } from 'oidc-provider';
import { fullNameOf } from '../identity/full-name.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { SignInKeys } from './sign-in-keys.ts';
import type { SignInStore } from './sign-in-store.ts';

const signInSeconds = 600;
const codeSeconds = 60;
const accessTokenSeconds = 300;
const sessionSeconds = 8 * 3600;
const scopes = 'openid email profile';

/**
 * The OpenID provider that agents send their users to: authorization code with PKCE, for agents that have registered.
 *
 * @param issuer its own address, below which its routes are.
 */
export function createProvider(
  issuer: string,
  store: SignInStore,
  identity: IdentityRepository,
  { signingKey, cookieKey }: SignInKeys,
): Provider {
  const configuration: Configuration = {
    adapter: (kind: string) => store.adapterOf(kind),
    jwks: { keys: [signingKey] },
    // A cookie of each sign-in stands at its own page, so that several may be under way.
    cookies: { keys: [cookieKey], long: { path: '/' } },
    responseTypes: ['code'],
    scopes: scopes.split(' '),
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'given_name', 'family_name'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, userinfo: { enabled: false } },
    extraClientMetadata: { properties: ['environment_id'] },
    discovery: { registration_endpoint: `${issuer}/reg` },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      IdToken: accessTokenSeconds,
      Interaction: signInSeconds,
      Session: sessionSeconds,
      Grant: sessionSeconds,
    },
    findAccount: async (_ctx, id) => {
      const user = await identity.findUser(Number(id));
      return user && { accountId: id, claims: () => ({ sub: id, email: user.email, name: fullNameOf(user) }) };
    },
    interactions: { url: (_ctx, { uid }) => `/sign-in/${uid}` },
    // Agents of the project ask for nothing but who somebody is.
    loadExistingGrant: async (ctx) => {
      const { oidc } = ctx;
      const clientId = oidc.client?.clientId;
      const accountId = oidc.session?.accountId;
      if (clientId === undefined || accountId === undefined) return undefined;
      const grant: Grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
    renderError: (ctx, out) => {
      ctx.type = 'json';
      ctx.body = { error: out.error, error_description: out.error_description };
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.proxy = true;
  return provider;
}
