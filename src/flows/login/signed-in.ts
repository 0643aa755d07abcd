import type { SavedSignIn, TokenPlace } from '../platform-access/saved-tokens.ts';

/** Who is signed in to which platform, for which project and environment, until when, and where the token is kept. */
export interface SignedIn extends SavedSignIn {
  readonly serverUrl: string;
  readonly place: TokenPlace;
}
