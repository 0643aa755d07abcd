import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { PublicFetch } from '#node/http/public-fetch';
import type { McpStateClient, SignInClient } from '#platform-client/index';
import type { McpPlace } from '../mcp-routes.ts';

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
  /** The collections that a person may browse. */
  browsable(person: AgentTokenClaims): Promise<readonly string[]>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

const daySeconds = 24 * 3600;

export const codeSeconds = 60;
/** How long somebody may take to sign in and to agree. */
export const consentSeconds = 600;
export const refreshTokenSeconds = 30 * daySeconds;
export const grantSeconds = 90 * daySeconds;
/** What a client says of itself is kept for at least as long as somebody takes to agree and the code lasts. */
export const documentSeconds = { min: consentSeconds + codeSeconds, max: daySeconds } as const;
