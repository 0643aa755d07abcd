import type { FlowContext } from '../flow-context.ts';
import { type ConfirmToken, connectToTokens, isTokenConfirmed } from './tokens-of-project.ts';

export interface RevokedToken {
  readonly project: string;
  readonly id: number;
  /** Whether the token has ended. */
  readonly isRevoked: boolean;
}

/** End an API token at once. */
export async function revokeToken(
  context: FlowContext,
  { folder, id, confirm }: { readonly folder: string; readonly id: number; readonly confirm: ConfirmToken },
): Promise<RevokedToken> {
  const { client, project } = await connectToTokens(context, folder);
  if (!(await isTokenConfirmed(client, { project, id, confirm }))) return { project, id, isRevoked: false };
  await client.revokeApiToken(project, id);
  return { project, id, isRevoked: true };
}
