import type { SignedInUser } from '#contracts/sign-in';
import type { SignInClient } from '#platform/index';

/** The parts of the platform that signing in needs. */
export interface SignInPlatform {
  readonly signIn: SignInClient;
  /** Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
}
