import { CloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import { addTeams, firstTeam, listTeams } from '../teams/teams.ts';

export interface NewEnvironment {
  readonly projectId: number;
  readonly name: string;
  readonly type: 'development' | 'production';
  readonly secretHash: string;
  readonly agentAddresses: readonly string[];
}

/** What an administrator changes about environments. */
export interface EnvironmentRepository {
  /** With a view for each team that the project has. Rejects with `REQUEST_CONFLICT` for a name that is taken. */
  add(environment: NewEnvironment): Promise<void>;
  setSecret(environmentId: number, secretHash: string): Promise<void>;
  setAgentAddresses(environmentId: number, addresses: readonly string[]): Promise<void>;
}

export function createEnvironmentRepository(store: Store, clock: Clock): EnvironmentRepository {
  const change = (environmentId: number, values: { secretHash: string } | { agentAddresses: string }) =>
    store.transaction(async ({ db }) => {
      await db.updateTable('environments').set(values).where('id', '=', environmentId).execute();
    });
  return {
    add: ({ agentAddresses, ...environment }) =>
      store.transaction(async ({ db, lock }) => {
        const { projectId, name } = environment;
        await lock(`environments of project ${projectId}`);
        await lock(`people of project ${projectId}`);
        const taken = await db
          .selectFrom('environments')
          .select('id')
          .where((the) => the.and({ projectId, name }))
          .executeTakeFirst();
        if (taken) throw nameTaken(name);
        const teams = await listTeams(db, projectId);
        await db
          .insertInto('environments')
          .values({ ...environment, agentAddresses: JSON.stringify(agentAddresses), createdAt: clock.now() })
          .execute();
        await addTeams(db, projectId, [firstTeam, ...teams.map(({ name: team }) => team)]);
      }),
    setSecret: (environmentId, secretHash) => change(environmentId, { secretHash }),
    setAgentAddresses: (environmentId, addresses) =>
      change(environmentId, { agentAddresses: JSON.stringify(addresses) }),
  };
}

function nameTaken(name: string): CloudError {
  return new CloudError({
    code: 'REQUEST_CONFLICT',
    message: `The project has an environment "${name}" already.`,
    nextSteps: ['Choose another name.'],
  });
}
