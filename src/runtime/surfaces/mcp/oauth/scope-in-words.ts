import { type McpScope, mcpScopes } from '#contracts/mcp';

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
