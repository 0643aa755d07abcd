import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import type { Store } from '../store/store.ts';
import type { EnvironmentRecord, UserRecord } from './identity-repository.ts';

export interface PersonInput {
  readonly environment: EnvironmentRecord;
  readonly person: Omit<UserRecord, 'id'>;
  readonly role: string;
  /** Name of the team in whose rendering the person works. */
  readonly team: string;
}

export interface ProvisionedPerson {
  readonly userId: number;
  readonly renderingId: number;
}

/** Make sure that a person is a user of the project, with a role unless they have another one, and that the rendering of a team exists. The agents are told. */
export function provisionPerson(store: Store, clock: Clock, input: PersonInput): Promise<ProvisionedPerson> {
  const { environment, person, role, team } = input;
  const { id: environmentId, projectId } = environment;
  return store.transaction(async (transaction) => {
    const { db } = transaction;
    const { id: userId } = await db
      .insertInto('users')
      .values({ ...person, createdAt: clock.now() })
      .onConflict((same) => same.column('email').doUpdateSet({ email: person.email }))
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: roleId } = await db
      .insertInto('roles')
      .values({ projectId, name: role })
      .onConflict((same) => same.columns(['projectId', 'name']).doUpdateSet({ name: role }))
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('members')
      .values({ projectId, userId, roleId, permissionLevel: 'user' })
      .onConflict((same) => same.doNothing())
      .execute();
    const { id: renderingId } = await db
      .insertInto('renderings')
      .values({ environmentId, team })
      .onConflict((same) => same.columns(['environmentId', 'team']).doUpdateSet({ team }))
      .returning('id')
      .executeTakeFirstOrThrow();
    announceEvent(transaction, environmentId, { name: 'refresh-users' });
    return { userId, renderingId };
  });
}
