import { mcpScopes } from '#contracts/mcp';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { issuerOf, type McpPlace, resourceOf } from '../mcp-place.ts';

/** Where clients find the metadata of the endpoint (RFC 9728). */
export function resourceMetadataUrlOf({ origin, basePath }: McpPlace): string {
  return `${origin}/.well-known/oauth-protected-resource${basePath}/mcp`;
}

/** The two documents that tell clients how to get a token, by path. They stand at the root of the host. */
export function metadataDocumentsOf(place: McpPlace): ReadonlyMap<string, object> {
  return new Map<string, object>([
    [`/.well-known/oauth-authorization-server${place.basePath}`, authorizationServer(place)],
    [new URL(resourceMetadataUrlOf(place)).pathname, protectedResource(place)],
  ]);
}

/** RFC 8414. */
function authorizationServer(place: McpPlace) {
  const issuer = issuerOf(place);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: mcpScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // A machine of a developer may be offline, or behind a proxy. Clients that are not told of documents register, which needs no network.
    client_id_metadata_document_supported: !isLoopbackHost(new URL(place.origin).hostname),
  };
}

/** RFC 9728. */
function protectedResource(place: McpPlace) {
  return {
    resource: resourceOf(place),
    authorization_servers: [issuerOf(place)],
    scopes_supported: mcpScopes,
    bearer_methods_supported: ['header'],
  };
}
