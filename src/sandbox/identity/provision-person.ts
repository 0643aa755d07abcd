import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import type { Store } from '../store/store.ts';
import { addTeams } from '../teams/teams.ts';
import type { EnvironmentRecord, UserRecord } from './identity-repository.ts';

export interface PersonInput {
  readonly environment: EnvironmentRecord;
  readonly person: Omit<UserRecord, 'id'>;
  readonly role: string;
  /** Name of the team that the person belongs to from now on. */
  readonly team: string;
}

export interface ProvisionedPerson {
  readonly userId: number;
  readonly renderingId: number;
}

/** Make sure that a person is a member of the project, with a role unless they have another one, and of the team. The agents are told. */
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
      .values({ projectId, userId, roleId, permissionLevel: 'user', team })
      .onConflict((same) => same.columns(['projectId', 'userId']).doUpdateSet({ team }))
      .execute();
    await addTeams(db, projectId, [team]);
    const { id: renderingId } = await db
      .selectFrom('renderings')
      .select('id')
      .where((the) => the.and({ environmentId, team }))
      .executeTakeFirstOrThrow();
    announceEvent(transaction, environmentId, { name: 'refresh-users' });
    return { userId, renderingId };
  });
}
