import type { PasswordReset } from '#contracts/people';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople, findMember } from './people-of-project.ts';

export interface PasswordLink extends PasswordReset {
  readonly project: string;
  readonly email: string;
}

/** A link with which a member sets a new password. Nobody can read it again. */
export async function resetPassword(
  context: FlowContext,
  { folder, email: asked }: { readonly folder: string; readonly email: string },
): Promise<PasswordLink> {
  const { client, project } = await connectToPeople(context, folder);
  const { id, email } = await findMember(client, project, asked);
  return { project, email, ...(await client.makePasswordReset(id)) };
}
