import { isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { findSavedToken, forgetToken } from '../platform-access/saved-tokens.ts';
import type { SignedIn } from './signed-in.ts';

/** Make the kept token of a platform worthless, and forget it. Resolves to who was signed in; `undefined` for nobody. */
export async function endSignIn(context: FlowContext, serverUrl: string): Promise<SignedIn | undefined> {
  const saved = await findSavedToken(context, serverUrl);
  if (!saved) return undefined;
  const { token, ...signedIn } = saved;
  const client = createPlatformClient({ serverUrl, http: context.http, credentials: { userToken: token } });
  await client.endSession().catch((error: unknown) => {
    // It has expired, or an administrator has ended it.
    if (!isCloudError(error) || error.code !== 'PLATFORM_UNAUTHENTICATED') throw error;
  });
  await forgetToken(context, serverUrl);
  return { serverUrl, ...signedIn };
}
