import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { type McpScope, mcpScopes } from '#contracts/mcp';
import { resourceOf } from '../mcp-routes.ts';
import { mcpAccessTokenSeconds, mcpTokenKey } from '../mcp-token.ts';
import { documentSeconds, type McpAuthorizationOptions } from './oauth-options.ts';
import { isRedirectUri } from './registration.ts';

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

/** What a client may do with a scope, as the person reads it who agrees. */
export const scopeInWords: Readonly<Record<McpScope, string>> = {
  'mcp:read': 'Read the records that you may read',
  'mcp:write': 'Create, change and link records for you',
  'mcp:delete': 'Delete records for you',
  'mcp:action': 'Run actions for you',
};

/** The scopes of the MCP server among those of a request, in their own order. Others are left out. */
export function knownScopesIn(scope: string | undefined): readonly McpScope[] {
  const asked = new Set(scope?.split(' '));
  return mcpScopes.filter((known) => asked.has(known));
}
