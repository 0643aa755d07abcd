import type {
  ChangePerson,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  PasswordReset,
  Person,
} from '#contracts/people';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface ListedPeople {
  readonly project: string;
  /** The members, those who are deactivated included. */
  readonly people: readonly Person[];
  /** The open ones, the newest first. */
  readonly invitations: readonly Invitation[];
}

/** Who works on a project, and who is invited to it. */
export async function listPeople(context: FlowContext, folder: string): Promise<ListedPeople> {
  const { client, project } = await connectToPeople(context, folder);
  const [people, invitations] = await Promise.all([client.people(), client.invitations()]);
  return { project, people, invitations: invitations.filter(({ state }) => state === 'open') };
}

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

export interface ChangedPerson extends Person {
  readonly project: string;
}

/** Change what a member is. Rejects with `USAGE_INVALID` where nothing is to change, and with `ADMINISTRATORS_LOCKED_OUT`. */
export async function changePerson(
  context: FlowContext,
  { folder, email, allowLockout, ...change }: ChangePerson & { readonly folder: string; readonly email: string },
): Promise<ChangedPerson> {
  if (Object.values(change).every((value) => value === undefined)) throw nothing();
  const { client, project } = await connectToPeople(context, folder);
  const { id } = await findMember(client, project, email);
  return { project, ...(await client.changePerson(id, { ...change, allowLockout })) };
}

function nothing(): CloudError {
  return cloudError('USAGE_INVALID', 'Nothing is to change.', 'Say what: --role, --level, --team or --active.');
}

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

interface DeactivatePersonInput {
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

/** Members and open invitations have one e-mail address each, whatever its letters. */
function withEmail<Each extends Pick<Person | Invitation, 'email'>>(
  all: readonly Each[],
  email: string,
): Each | undefined {
  return all.find((each) => each.email.toLowerCase() === email.toLowerCase());
}

/** The member of that e-mail address. Rejects with `REQUEST_NOT_FOUND`, which names the nearest one. */
export async function findMember(client: PlatformClient, project: string, email: string): Promise<Person> {
  const people = await client.people();
  const found = withEmail(people, email);
  if (found) return found;
  throw noMember(
    project,
    email,
    people.map((person) => person.email),
  );
}

function noMember(project: string, email: string, emails: readonly string[]): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The project ${project} has no member ${email}.${didYouMean(nearestName(email, emails))}`,
    'See who is there: vendor-cloud people list',
  );
}

/** The project of a folder as its platform knows it, and the connection to manage its people over. */
export async function connectToPeople(
  context: FlowContext,
  folder: string,
): Promise<{ readonly client: PlatformClient; readonly project: string; readonly url: string }> {
  const opened = await openProject(context.fs, folder, context.variables);
  const { client, url } = await connectToPlatform(context, opened);
  const { project } = await client.me();
  return { client, project, url };
}
