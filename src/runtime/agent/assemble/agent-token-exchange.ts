import { mcpScopes, readingMcpScopes } from '#contracts/mcp';
import type { McpTokens } from '../../surfaces/mcp/mcp-token.ts';
import {
  createTokenExchange,
  type TokenExchange,
  type TokenExchangeParts,
} from '../../surfaces/sign-in/token-exchange.ts';

interface AgentTokenParts extends Pick<TokenExchangeParts, 'platform' | 'tokens'> {
  readonly mcpTokens: McpTokens;
  /** Address of the MCP server, where there is one. */
  readonly mcpResource: () => string | undefined;
}

/** Exchanges what the platform has made for tokens of the agent and of its MCP server, where reading alone is a scope. */
export function createAgentTokenExchange({ mcpTokens, mcpResource, ...parts }: AgentTokenParts): TokenExchange {
  return createTokenExchange({
    ...parts,
    mcp: {
      resource: mcpResource,
      issue: (claims, resource, expiresAt) =>
        mcpTokens.issue(claims, resource, claims.readOnly ? readingMcpScopes : mcpScopes, expiresAt),
    },
  });
}
