import type { McpSurfaceOptions } from '../../surfaces/mcp/mcp-surface.ts';
import type { McpAuthorizationOptions } from '../../surfaces/mcp/oauth/oauth-options.ts';

/** Opens the authorization server. It is loaded then, so that an agent without an MCP server never loads it. */
export function mcpAuthorizationOf(
  parts: Omit<McpAuthorizationOptions, 'place' | 'fetchDocument'>,
): NonNullable<McpSurfaceOptions['openAuthorization']> {
  return async (place) => {
    const [{ createMcpAuthorization }, { createPublicFetch }] = await Promise.all([
      import('../../surfaces/mcp/oauth/mcp-authorization.ts'),
      import('#node/http/public-fetch'),
    ]);
    return createMcpAuthorization({ ...parts, place, fetchDocument: createPublicFetch() });
  };
}
