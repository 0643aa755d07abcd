import type { PlatformClient } from '#platform/index';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

/** The project of a folder as its platform knows it, and the connection to manage its API tokens over. */
export async function connectToTokens(
  context: FlowContext,
  folder: string,
): Promise<{ readonly client: PlatformClient; readonly project: string }> {
  const opened = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, opened);
  const { project } = await client.me();
  return { client, project };
}
