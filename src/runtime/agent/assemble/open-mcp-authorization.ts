import type { McpPlace } from '../../surfaces/mcp/mcp-place.ts';
import type { McpAuthorization } from '../../surfaces/mcp/mcp-surface.ts';
import type { McpAuthorizationOptions } from '../../surfaces/mcp/oauth/oauth-options.ts';

/** The authorization server at a place, which is loaded here, so that an agent without an MCP server never loads it. */
export async function openMcpAuthorization(
  place: McpPlace,
  parts: Omit<McpAuthorizationOptions, 'place' | 'fetchDocument'>,
): Promise<McpAuthorization> {
  const [{ createMcpAuthorization }, { createPublicFetch }] = await Promise.all([
    import('../../surfaces/mcp/oauth/mcp-authorization.ts'),
    import('#host/http/public-fetch'),
  ]);
  return createMcpAuthorization({ ...parts, place, fetchDocument: createPublicFetch() });
}
