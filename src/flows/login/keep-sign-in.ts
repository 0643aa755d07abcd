import { createPlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';
import { saveToken } from '../platform-access/saved-tokens.ts';
import { endSignIn } from './end-sign-in.ts';
import type { SignedIn } from './signed-in.ts';

/**
 * Keep a token for the commands, in place of the one before it, which ends. The platform says whose it is. Rejects with
 * `PLATFORM_UNAUTHENTICATED` for a token that it does not know.
 */
export async function keepSignIn(context: FlowContext, serverUrl: string, token: string): Promise<SignedIn> {
  const client = createPlatformClient({ serverUrl, http: context.http, credentials: { userToken: token } });
  const { user, project, environment } = await client.me();
  const current = (await client.sessions()).find((session) => session.isCurrent);
  const signIn = { project, environment, email: user.email, expiresAt: current?.expiresAt ?? null };
  await endSignIn(context, serverUrl, token);
  const place = await saveToken(context, serverUrl, { token, ...signIn });
  return { serverUrl, ...signIn, place };
}
