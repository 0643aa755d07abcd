import type { Invitation, Person } from '#contracts/people';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople } from './people-of-project.ts';

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
