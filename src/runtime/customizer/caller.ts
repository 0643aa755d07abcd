import type { AgentTokenClaims } from '#contracts/agent-token';

/** The person who sends a request: the claims of the session token, and what came with the request. */
export interface Caller extends AgentTokenClaims {
  /** All teams and all roles that they have now. The first of each is `team` and `role`. */
  readonly teams: readonly string[];
  readonly roles: readonly string[];
  /** IANA time zone, from the `timezone` parameter. */
  readonly timezone: string;
  readonly requestId: string;
  /** Names of the project and the environment that the client shows, where it says so. */
  readonly project?: string;
  readonly environment?: string;
  /** Absent where nobody asks over the network. */
  readonly request?: { readonly ip: string };
}
