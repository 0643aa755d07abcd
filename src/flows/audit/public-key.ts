import type { FlowContext } from '../flow-context.ts';
import { connectToLog } from './connect-to-log.ts';

/** The public keys of the platform, with which everybody verifies exports of its log. */
export async function publicKeys(context: FlowContext, folder: string): Promise<{ readonly keys: readonly string[] }> {
  const { client, log } = await connectToLog(context, { folder, isAdmin: true });
  const { keys } = await client.integrity(log.project);
  return { keys };
}
