import { mcpScopes, readingMcpScopes } from '#contracts/mcp';
import type { McpTokens } from '../../surfaces/mcp/mcp-token.ts';
import {
  createPrintedTokens,
  type PrintedTokenParts,
  type PrintedTokens,
} from '../../surfaces/sign-in/printed-tokens.ts';

interface AgentTokenParts extends Pick<PrintedTokenParts, 'platform' | 'tokens'> {
  readonly mcpTokens: McpTokens;
  /** Address of the MCP server, where there is one. */
  readonly mcpResource: () => string | undefined;
}

/** Exchanges printed tokens for those of the agent and of its MCP server, where reading alone is a scope. */
export function createAgentPrintedTokens({ mcpTokens, mcpResource, ...parts }: AgentTokenParts): PrintedTokens {
  return createPrintedTokens({
    ...parts,
    mcp: {
      resource: mcpResource,
      issue: (claims, resource, expiresAt) =>
        mcpTokens.issue(claims, resource, claims.readOnly ? readingMcpScopes : mcpScopes, expiresAt),
    },
  });
}
