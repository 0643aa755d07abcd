import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { PublicFetch } from '#node/http/public-fetch';
import type { McpStateClient, SignInClient } from '#platform-client/index';
import type { McpPlace } from '../mcp-place.ts';

/** The parts of the platform that the authorization of the MCP server needs. */
export interface McpAuthorizationPlatform {
  readonly signIn: SignInClient;
  readonly mcpState: McpStateClient;
  /** A member of the project; `undefined` for anybody else. */
  person(id: number): Promise<AgentTokenClaims | undefined>;
}

export interface McpAuthorizationOptions {
  readonly place: McpPlace;
  /** The keys of tokens and cookies are made of it, so that all agents of the environment have the same ones. */
  readonly authSecret: string;
  readonly platform: McpAuthorizationPlatform;
  /** Reads the documents that clients are described by. */
  readonly fetchDocument: PublicFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
