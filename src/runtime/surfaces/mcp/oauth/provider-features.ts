import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { mcpScopes } from '#contracts/mcp';
import { resourceOf } from '../mcp-place.ts';
import { mcpAccessTokenSeconds, mcpTokenKey } from '../mcp-token.ts';
import { documentSeconds } from './lifetimes.ts';
import type { McpAuthorizationOptions } from './oauth-options.ts';
import { isRedirectUri } from './redirect-uris.ts';
import { knownScopesIn } from './scope-in-words.ts';

/** What the server does beyond the code flow: resources, registration, documents of clients, revocation. */
export function featuresOf({
  place,
  authSecret,
  random,
}: McpAuthorizationOptions): NonNullable<Configuration['features']> {
  const resource = resourceOf(place);
  const resourceServer = {
    scope: mcpScopes.join(' '),
    audience: resource,
    accessTokenFormat: 'jwt' as const,
    accessTokenTTL: mcpAccessTokenSeconds,
    jwt: { sign: { alg: 'HS256' as const, key: Buffer.from(mcpTokenKey(authSecret)) } },
  };
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, { clientId }, token) => token.clientId === clientId },
    registration: {
      enabled: true,
      initialAccessToken: false,
      issueRegistrationAccessToken: false,
      idFactory: () => random.uuid(),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => resource,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (ctx, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget(`The resource of this server is ${resource}.`);
        requireKnownScope(ctx);
        return resourceServer;
      },
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      allowFetch: async () => true,
      allowClient: async (_ctx, { redirectUris = [] }) => redirectUris.every(isRedirectUri),
      cacheDuration: documentSeconds,
    },
  };
}

/** Unknown scopes are left out. A request for nothing else is refused. */
function requireKnownScope({ oidc }: KoaContextWithOIDC): void {
  const { scope } = oidc.params ?? {};
  if (oidc.route !== 'authorization' || typeof scope !== 'string' || knownScopesIn(scope).length > 0) return;
  throw new errors.InvalidScope(`The scopes are ${mcpScopes.join(', ')}.`, scope);
}
