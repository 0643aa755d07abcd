import { CloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';
import { endSignIn } from './end-sign-in.ts';
import type { LoginInput } from './login.ts';
import type { SignedIn } from './signed-in.ts';

/** Sign out of a platform. Rejects with `CREDENTIALS_MISSING` when nobody is signed in there. */
export async function logout(context: FlowContext, input: Omit<LoginInput, 'project'>): Promise<SignedIn> {
  const serverUrl = input.serverUrl ?? (await platformUrlIn(context, input.folder));
  const ended = await endSignIn(context, serverUrl);
  if (ended) return ended;
  throw new CloudError({
    code: 'CREDENTIALS_MISSING',
    message: `Nobody is signed in to ${serverUrl} on this machine.`,
    nextSteps: ['Name the platform: vendor-cloud logout --server-url <url>'],
  });
}
