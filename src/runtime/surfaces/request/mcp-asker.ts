import type { AgentTokenClaims } from '#contracts/agent-token';

/** A person of the REST API who asks the MCP server something, as a client would. */
export interface McpAsker {
  readonly claims: AgentTokenClaims;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Origin of the request, where its host is this machine. */
  readonly askedAt: string | undefined;
}

/** Asks it. Resolves to its answer, or to `undefined` where the agent has no MCP server. */
export type AskMcp = (message: unknown, asker: McpAsker) => Promise<object | undefined>;
