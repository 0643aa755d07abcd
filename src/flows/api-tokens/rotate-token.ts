import type { FlowContext } from '../flow-context.ts';
import type { TokenWithSecret } from './create-token.ts';
import { connectToTokens } from './tokens-of-project.ts';

export interface RotateTokenInput {
  readonly folder: string;
  readonly id: number;
  /** How long the secret before stays valid; `undefined`: 24 hours. */
  readonly overlapSeconds: number | undefined;
}

/** Give an API token a new secret. */
export async function rotateToken(context: FlowContext, input: RotateTokenInput): Promise<TokenWithSecret> {
  const { client, project } = await connectToTokens(context, input.folder);
  return { project, ...(await client.rotateApiToken(project, input.id, input.overlapSeconds)) };
}
