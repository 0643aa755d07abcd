import type { ApiToken } from '#contracts/api-tokens';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface TokenOfProject {
  readonly project: string;
  readonly token: Pick<ApiToken, 'name'>;
}

/** Shows a token that would change and asks whether to go on. */
export type ConfirmToken = (token: TokenOfProject) => Promise<boolean>;

/** Whether a token may change. Nobody is asked about one that is not active: the platform says what is wrong with it. */
export async function isTokenConfirmed(
  client: PlatformClient,
  { project, id, confirm }: { readonly project: string; readonly id: number; readonly confirm: ConfirmToken },
): Promise<boolean> {
  const { tokens } = await client.listApiTokens(project);
  const token = tokens.find((each) => each.id === id && each.state === 'active');
  return token === undefined || (await confirm({ project, token }));
}

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
