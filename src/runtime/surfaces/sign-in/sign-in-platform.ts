import type { PrintedTokenOwner } from '#contracts/printed-tokens';
import type { SignedInUser } from '#contracts/sign-in';
import type { SignInClient } from '#platform-client/index';

/** The parts of the platform that signing in needs. */
export interface SignInPlatform {
  readonly signIn: SignInClient;
  /** Whose a token is that somebody printed for the agent or its MCP server. */
  printedToken(token: string): Promise<PrintedTokenOwner | undefined>;
  /** Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
}
