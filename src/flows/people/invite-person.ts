import type { CreatedInvitation, CreateInvitation } from '#contracts/people';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople } from './people-of-project.ts';

export interface InvitedPerson extends CreatedInvitation {
  readonly project: string;
}

/** Invite somebody to a project. Nobody can read the link again. */
export async function invitePerson(
  context: FlowContext,
  { folder, ...invitation }: CreateInvitation & { readonly folder: string },
): Promise<InvitedPerson> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, ...(await client.invite(invitation)) };
}
