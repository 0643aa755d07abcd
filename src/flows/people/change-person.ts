import type { ChangePerson, Person } from '#contracts/people';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople, findMember } from './people-of-project.ts';

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
