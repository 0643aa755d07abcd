import { firstTeam } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { type AdminLog, type Author, changeLog, type LogChange } from '../audit/admin-log.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { addTeams, listTeams } from '../teams/teams.ts';

interface NewEnvironment {
  readonly projectId: number;
  readonly name: string;
  readonly type: 'development' | 'production';
  readonly secretHash: string;
  readonly agentAddresses: readonly string[];
}

/** What an administrator changes about environments. */
export interface EnvironmentRepository {
  /** With a view for each team that the project has. Rejects with `REQUEST_CONFLICT` for a name that is taken. */
  add(environment: NewEnvironment, author: Author): Promise<void>;
  setSecret(environment: EnvironmentRecord, secretHash: string, author: Author): Promise<void>;
  setAgentAddresses(environment: EnvironmentRecord, addresses: readonly string[], author: Author): Promise<void>;
}

export function createEnvironmentRepository(store: Store, clock: Clock, adminLog: AdminLog): EnvironmentRepository {
  return {
    add: ({ agentAddresses, ...environment }, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
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
        const log = changeLog(adminLog, transaction, projectId, author);
        logNewEnvironment(log, name);
        if (agentAddresses.length > 0) {
          const resource = 'environment-settings';
          log({ type: 'add', resource, environment: name, newValue: { agentAddresses } });
        }
        await addTeams(db, projectId, [firstTeam, ...teams.map(({ name: team }) => team)], log);
      }),
    setSecret: ({ id, projectId, name }, secretHash, author) =>
      store.transaction(async (transaction) => {
        await transaction.db.updateTable('environments').set({ secretHash }).where('id', '=', id).execute();
        adminLog(transaction, { projectId, author, type: 'update', resource: 'environment-secret', environment: name });
      }),
    setAgentAddresses: ({ id, projectId, name }, agentAddresses, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`environments of project ${projectId}`);
        const before = await db
          .selectFrom('environments')
          .select('agentAddresses')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const known = before.agentAddresses ?? '[]';
        const wanted = JSON.stringify(agentAddresses);
        if (known === wanted) return;
        await db.updateTable('environments').set({ agentAddresses: wanted }).where('id', '=', id).execute();
        adminLog(transaction, {
          projectId,
          author,
          type: 'update',
          resource: 'environment-settings',
          environment: name,
          previousValue: { agentAddresses: JSON.parse(known) as string[] },
          newValue: { agentAddresses },
        });
      }),
  };
}

function nameTaken(name: string): CloudError {
  return cloudError('REQUEST_CONFLICT', `The project has an environment "${name}" already.`, 'Choose another name.');
}

/** Log that an environment was made, or has come to another project; it serves nothing of it yet. */
export function logNewEnvironment(log: LogChange, name: string, type: 'add' | 'initial' = 'add'): void {
  log({ type, resource: 'environment', environment: name, newValue: { name, codeCustomizationVersion: null } });
}

/** Number of the version that an environment serves, as the log has it. */
export async function servedVersion(db: StoreTransaction['db'], environmentId: number): Promise<string | null> {
  const live = await db
    .selectFrom('deployments')
    .select('versionNumber')
    .where((the) => the.and({ environmentId, state: 'live' }))
    .executeTakeFirst();
  return live ? String(live.versionNumber) : null;
}
