import type { SavedToken } from '../platform-access/saved-tokens.ts';

/** Who is signed in to which platform, for which project and environment, and until when. */
export interface SignedIn extends Omit<SavedToken, 'token'> {
  readonly serverUrl: string;
}
