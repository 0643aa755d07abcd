import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';
import { endSignIn } from './end-sign-in.ts';
import type { LoginInput } from './login.ts';
import type { SignedIn } from './signed-in.ts';

/** Who was signed in to which platform; nobody where there was nothing to do. */
export type SignedOut =
  | (SignedIn & { readonly wasSignedIn: true })
  | { readonly serverUrl: string; readonly wasSignedIn: false };

/** Sign out of a platform. Nobody may have been signed in there. */
export async function logout(context: FlowContext, input: Omit<LoginInput, 'project'>): Promise<SignedOut> {
  const serverUrl = input.serverUrl ?? (await platformUrlIn(context, input.folder));
  const ended = await endSignIn(context, serverUrl);
  return ended ? { ...ended, wasSignedIn: true } : { serverUrl, wasSignedIn: false };
}
