import type { SignedInUser } from '#contracts/sign-in';
import type { SignInClient } from '#platform/index';

/** What signing in needs of the platform. */
export interface SignInPlatform {
  readonly signIn: SignInClient;
  /** Rejects with `PLATFORM_REFUSED` when the person may not use the rendering. */
  signedInUser(renderingId: number, accessToken: string): Promise<SignedInUser>;
}
