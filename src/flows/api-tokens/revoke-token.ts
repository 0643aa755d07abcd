import type { FlowContext } from '../flow-context.ts';
import { connectToTokens } from './tokens-of-project.ts';

export interface RevokedToken {
  readonly project: string;
  readonly id: number;
}

/** End an API token at once. */
export async function revokeToken(
  context: FlowContext,
  { folder, id }: { readonly folder: string; readonly id: number },
): Promise<RevokedToken> {
  const { client, project } = await connectToTokens(context, folder);
  await client.revokeApiToken(project, id);
  return { project, id };
}
