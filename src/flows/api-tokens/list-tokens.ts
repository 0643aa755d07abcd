import type { ApiToken } from '#contracts/api-tokens';
import type { FlowContext } from '../flow-context.ts';
import { connectToTokens } from './tokens-of-project.ts';

export interface ListedTokens {
  readonly project: string;
  readonly tokens: readonly ApiToken[];
}

/** The API tokens of a project, active ones first. */
export async function listTokens(context: FlowContext, folder: string): Promise<ListedTokens> {
  const { client, project } = await connectToTokens(context, folder);
  const { tokens } = await client.listApiTokens(project);
  return { project, tokens };
}
