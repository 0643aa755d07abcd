import type { FlowContext } from '../flow-context.ts';
import { connectToPeople, noMember, withEmail } from './people-of-project.ts';

/** Somebody whose access is to end. */
export interface LeavingPerson {
  readonly project: string;
  readonly email: string;
  /** Somebody who has not joined yet loses the invitation. */
  readonly was: 'member' | 'invited';
}

export interface DeactivatedPerson extends LeavingPerson {
  /** Whether the access has ended. */
  readonly isDeactivated: boolean;
}

export interface DeactivatePersonInput {
  readonly folder: string;
  readonly email: string;
  /** Take a change after which no administrator of some environment may browse. */
  readonly allowLockout: boolean;
  /** Shows who it is and asks whether to go on. */
  confirm(person: LeavingPerson): Promise<boolean>;
}

/** End the access of a member, or take an open invitation back. Rejects with `ADMINISTRATORS_LOCKED_OUT`. */
export async function deactivatePerson(
  context: FlowContext,
  { folder, email: asked, allowLockout, confirm }: DeactivatePersonInput,
): Promise<DeactivatedPerson> {
  const { client, project } = await connectToPeople(context, folder);
  const [people, invitations] = await Promise.all([client.people(), client.invitations()]);
  const open = invitations.filter(({ state }) => state === 'open');
  const member = withEmail(people, asked);
  const invitation = withEmail(open, asked);
  const found = member ?? invitation;
  if (!found) {
    throw noMember(
      project,
      asked,
      [...people, ...open].map(({ email }) => email),
    );
  }
  const leaving: LeavingPerson = { project, email: found.email, was: member ? 'member' : 'invited' };
  if (!(await confirm(leaving))) return { ...leaving, isDeactivated: false };
  if (member) await client.changePerson(member.id, { isActive: false, allowLockout });
  if (invitation) await client.revokeInvitation(invitation.id);
  return { ...leaving, isDeactivated: true };
}
