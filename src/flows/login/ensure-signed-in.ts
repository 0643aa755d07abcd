import type { FlowContext } from '../flow-context.ts';
import { findSavedSignIn } from '../platform-access/saved-tokens.ts';
import { login } from './login.ts';

/** Sign in to a platform where nobody is signed in. Without a person at the terminal, only say how. */
export async function ensureSignedIn(context: FlowContext, serverUrl: string): Promise<void> {
  if (context.variables['SERVICE_AUTH_TOKEN']) return;
  const saved = await findSavedSignIn(context, serverUrl);
  if (saved && (saved.expiresAt === null || Date.parse(saved.expiresAt) > context.clock.now())) return;
  if (context.isInteractive) {
    await login(context, { folder: context.workingFolder, serverUrl, project: undefined });
    return;
  }
  context.reporter.warn(`Nobody is signed in to ${serverUrl}.`, `vendor-cloud login --server-url ${serverUrl}`);
}
