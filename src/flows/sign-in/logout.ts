import { isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';
import {
  findSavedSignIn,
  findSavedToken,
  forgetToken,
  type SavedSignIn,
  type TokenPlace,
} from '../platform-access/platform-tokens.ts';

/** Who was signed in to which platform; nobody where there was nothing to do. */
export type SignedOut =
  | (SignedIn & { readonly wasSignedIn: true })
  | { readonly serverUrl: string; readonly wasSignedIn: false };

interface LogoutInput {
  readonly folder: string;
  /** Address of the platform. Default: that of the project, or of the environment variable. */
  readonly serverUrl: string | undefined;
}

/** Sign out of a platform. Nobody may have been signed in there. */
export async function logout(context: FlowContext, input: LogoutInput): Promise<SignedOut> {
  const serverUrl = input.serverUrl ?? (await platformUrlIn(context, input.folder));
  const ended = await endSignIn(context, serverUrl);
  return ended ? { ...ended, wasSignedIn: true } : { serverUrl, wasSignedIn: false };
}

/** Who is signed in to which platform, for which project and environment, until when, and where the token is kept. */
export interface SignedIn extends SavedSignIn {
  readonly serverUrl: string;
  readonly place: TokenPlace;
}

/**
 * Make the kept token of a platform worthless, and forget it. Resolves to who was signed in; `undefined` for nobody.
 *
 * @param valid a token that stays valid, should it be the kept one.
 */
export async function endSignIn(
  context: FlowContext,
  serverUrl: string,
  valid?: string | undefined,
): Promise<SignedIn | undefined> {
  const signIn = await findSavedSignIn(context, serverUrl);
  if (!signIn) return undefined;
  const token = await keptToken(context, serverUrl);
  if (token !== undefined && token !== valid) await endSession(context, serverUrl, token);
  await forgetToken(context, serverUrl);
  return { serverUrl, ...signIn };
}

/** A locked keychain keeps nobody from signing in or out; its token then lasts until it expires. */
async function keptToken(context: FlowContext, serverUrl: string): Promise<string | undefined> {
  try {
    return (await findSavedToken(context, serverUrl))?.token;
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'CREDENTIALS_MISSING') throw error;
    context.reporter.warn(`The sign-in before this one does not end at the platform. ${error.message}`);
    return undefined;
  }
}

async function endSession({ http }: FlowContext, serverUrl: string, userToken: string): Promise<void> {
  const client = createPlatformClient({ serverUrl, http, credentials: { userToken } });
  await client.endSession().catch((error: unknown) => {
    // It has expired, or an administrator has ended it.
    if (!isCloudError(error) || error.code !== 'PLATFORM_UNAUTHENTICATED') throw error;
  });
}
