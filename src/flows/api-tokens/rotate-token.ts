import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import type { TokenWithSecret } from './create-token.ts';
import { type ConfirmToken, connectToTokens, isTokenConfirmed } from './tokens-of-project.ts';

export interface RotateTokenInput {
  readonly folder: string;
  readonly id: number;
  /** How long the secret before stays valid; `undefined`: 24 hours. */
  readonly overlapSeconds: number | undefined;
  readonly confirm: ConfirmToken;
}

/** Give an API token a new secret. Rejects with `INTERRUPTED` when that is not wanted: no secret is no answer for a script. */
export async function rotateToken(context: FlowContext, input: RotateTokenInput): Promise<TokenWithSecret> {
  const { folder, id, overlapSeconds, confirm } = input;
  const { client, project } = await connectToTokens(context, folder);
  if (!(await isTokenConfirmed(client, { project, id, confirm }))) throw notWanted();
  return { project, ...(await client.rotateApiToken(project, id, overlapSeconds)) };
}

function notWanted(): CloudError {
  return cloudError('INTERRUPTED', 'The token keeps its secret.', 'Run the command again to replace it.');
}
