import { isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';
import { findSavedSignIn, findSavedToken, forgetToken } from '../platform-access/saved-tokens.ts';
import type { SignedIn } from './signed-in.ts';

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
