import type { Invitation, Person } from '#contracts/people';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

/** The project of a folder as its platform knows it, and the connection to manage its people over. */
export async function connectToPeople(
  context: FlowContext,
  folder: string,
): Promise<{ readonly client: PlatformClient; readonly project: string }> {
  const opened = await openProject(context.fs, folder, context.variables);
  const { client } = await connectToPlatform(context, opened);
  const { project } = await client.me();
  return { client, project };
}

/** Members and open invitations have one e-mail address each, whatever its letters. */
export function withEmail<Each extends Pick<Person | Invitation, 'email'>>(
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

export function noMember(project: string, email: string, emails: readonly string[]): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The project ${project} has no member ${email}.${didYouMean(nearestName(email, emails))}`,
    'See who is there: vendor-cloud people list',
  );
}
