import type { Kysely } from 'kysely';
import type { Clock } from '#kernel/ports/clock';
import type { AdminLog, PersonAsAuthor } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { logDeployment, logEndOfDeployment } from './log-deployment.ts';

export interface DeploymentRecord extends Omit<Tables['deployments'], 'isChecked'> {
  /** Every host has checked it, so that hosts may serve it. */
  readonly isChecked: boolean;
  readonly author: UserRecord;
}

type NewDeployment = Pick<
  Tables['deployments'],
  'versionNumber' | 'variablesRevision' | 'isChecked' | 'idempotencyKey' | 'requestHash'
> & {
  readonly author: PersonAsAuthor;
  /** Number of the earlier deployment that it goes back to. */
  readonly rollbackTo?: number | undefined;
};

interface DeploymentLine {
  readonly sequence: number;
  readonly at: number;
  readonly text: string;
}

/** What an environment serves, and what it is about to serve. */
export interface CurrentDeployments {
  readonly live: DeploymentRecord | undefined;
  /** The oldest one that has not come to its end. */
  readonly unfinished: DeploymentRecord | undefined;
  /** The newest one that is live or has not come to its end: what the next one is to replace. */
  readonly newest: DeploymentRecord | undefined;
}

/** What may be done to the deployments of one environment while nobody else does. */
export interface DeploymentChange {
  findByKey(idempotencyKey: string): Promise<DeploymentRecord | undefined>;
  current(): Promise<CurrentDeployments>;
  /** Whether a deployment of the version with these variables was live before. */
  hasServed(versionNumber: number, variablesRevision: number): Promise<boolean>;
  add(deployment: NewDeployment): Promise<number>;
  update(number: number, values: Partial<Pick<Tables['deployments'], 'state' | 'isChecked'>>): Promise<void>;
  /** Make a deployment live, in place of the one that is, or failed. The log of the project has it. */
  end(deployment: DeploymentRecord, state: 'live' | 'failed', note: string | null): Promise<void>;
  /** A line for whoever follows the deployment. */
  say(number: number, text: string): Promise<void>;
}

/** Deployments, by environment. */
export interface DeploymentRepository {
  /** One change at a time in each environment, over all processes of the platform. Hosts hear when there is something new. */
  change<Result>(environmentId: number, work: (change: DeploymentChange) => Promise<Result>): Promise<Result>;
  /** Both at one moment. */
  current(environmentId: number): Promise<CurrentDeployments>;
  find(environmentId: number, number: number): Promise<DeploymentRecord | undefined>;
  /** Newest first, numbers below `before`. */
  list(environmentId: number, limit: number, before: number | undefined): Promise<readonly DeploymentRecord[]>;
  /** Those with a greater sequence than `after`, in order. */
  lines(environmentId: number, number: number, after: number): Promise<readonly DeploymentLine[]>;
  /** Environments with a deployment that has not come to its end. */
  environmentsWithUnfinished(): Promise<readonly number[]>;
}

export function createDeploymentRepository(store: Store, clock: Clock, adminLog: AdminLog): DeploymentRepository {
  return {
    change: (environmentId, work) =>
      store.transaction(async (transaction) => {
        await transaction.lock(`deployments of environment ${environmentId}`);
        let isWritten = false;
        const result = await work(
          changeOf(transaction, environmentId, { clock, adminLog }, () => {
            isWritten = true;
          }),
        );
        if (isWritten) announceEvent(transaction, environmentId, { name: 'refresh-orders' });
        return result;
      }),
    current: (environmentId) => current(store.db, environmentId),
    find: (environmentId, number) => one(deployments(store.db, environmentId).where('deployments.number', '=', number)),
    list: async (environmentId, limit, before) => {
      const rows = await deployments(store.db, environmentId)
        .where('deployments.number', '<', before ?? Number.MAX_SAFE_INTEGER)
        .orderBy('deployments.number', 'desc')
        .limit(limit)
        .execute();
      return rows.map(deploymentOf);
    },
    lines: (environmentId, number, after) =>
      store.db
        .selectFrom('deploymentLines')
        .select(['sequence', 'at', 'text'])
        .where((the) => the.and({ environmentId, number }))
        .where('sequence', '>', after)
        .orderBy('sequence')
        .execute(),
    environmentsWithUnfinished: async () => {
      const rows = await store.db
        .selectFrom('deployments')
        .select('environmentId')
        .distinct()
        .where('state', 'in', ['queued', 'checking'])
        .execute();
      return rows.map(({ environmentId }) => environmentId);
    },
  };
}

function changeOf(
  transaction: StoreTransaction,
  environmentId: number,
  { clock, adminLog }: { readonly clock: Clock; readonly adminLog: AdminLog },
  onWrite: () => void,
): DeploymentChange {
  const { db } = transaction;
  const update = async (number: number, values: Partial<Tables['deployments']>) => {
    onWrite();
    await db
      .updateTable('deployments')
      .set(values)
      .where((the) => the.and({ environmentId, number }))
      .execute();
  };
  return {
    findByKey: (key) => one(deployments(db, environmentId).where('deployments.idempotencyKey', '=', key)),
    current: () => current(db, environmentId),
    hasServed: async (versionNumber, variablesRevision) => {
      const served = await db
        .selectFrom('deployments')
        .select('number')
        .where((the) => the.and({ environmentId, versionNumber, variablesRevision }))
        .where('state', 'in', ['live', 'replaced'])
        .limit(1)
        .executeTakeFirst();
      return served !== undefined;
    },
    add: async ({ author, rollbackTo, ...deployment }) => {
      onWrite();
      const { last } = await db
        .selectFrom('deployments')
        .select(({ fn }) => fn.max('number').as('last'))
        .where('environmentId', '=', environmentId)
        .executeTakeFirstOrThrow();
      const number = (last ?? 0) + 1;
      await db
        .insertInto('deployments')
        .values({
          ...deployment,
          environmentId,
          number,
          authorId: author.user.id,
          state: 'queued',
          note: null,
          createdAt: clock.now(),
          finishedAt: null,
        })
        .execute();
      await logDeployment(transaction, adminLog, { ...deployment, environmentId, number, author }, rollbackTo);
      return number;
    },
    update,
    end: async (deployment, state, note) => {
      const { live } = await current(db, environmentId);
      const replaced = state === 'live' ? live : undefined;
      if (replaced) await update(replaced.number, { state: 'replaced' });
      await update(deployment.number, { state, note, finishedAt: clock.now() });
      await logEndOfDeployment(transaction, adminLog, deployment, state, replaced);
    },
    say: async (number, text) => {
      onWrite();
      await addLine(db, { environmentId, number, at: clock.now(), text });
    },
  };
}

async function addLine(db: Kysely<Tables>, line: Omit<Tables['deploymentLines'], 'sequence'>): Promise<void> {
  const { environmentId, number } = line;
  const { last } = await db
    .selectFrom('deploymentLines')
    .select(({ fn }) => fn.max('sequence').as('last'))
    .where((the) => the.and({ environmentId, number }))
    .executeTakeFirstOrThrow();
  await db
    .insertInto('deploymentLines')
    .values({ ...line, sequence: (last ?? 0) + 1 })
    .execute();
}

async function current(db: Kysely<Tables>, environmentId: number): Promise<CurrentDeployments> {
  const rows = await deployments(db, environmentId)
    .where('deployments.state', 'in', ['live', 'queued', 'checking'])
    .orderBy('deployments.number')
    .execute();
  const live = rows.find(({ state }) => state === 'live');
  const unfinished = rows.find(({ state }) => state !== 'live');
  const newest = rows.findLast(({ state }) => state !== 'live') ?? live;
  return {
    live: live && deploymentOf(live),
    unfinished: unfinished && deploymentOf(unfinished),
    newest: newest && deploymentOf(newest),
  };
}

function deployments(db: Kysely<Tables>, environmentId: number) {
  return db
    .selectFrom('deployments')
    .innerJoin('users', 'users.id', 'deployments.authorId')
    .selectAll('deployments')
    .select(['users.firstName', 'users.lastName', 'users.email'])
    .where('deployments.environmentId', '=', environmentId);
}

async function one(query: ReturnType<typeof deployments>): Promise<DeploymentRecord | undefined> {
  const row = await query.executeTakeFirst();
  return row && deploymentOf(row);
}

type DeploymentRow = Tables['deployments'] & Omit<UserRecord, 'id'>;

function deploymentOf({ firstName, lastName, email, isChecked, ...deployment }: DeploymentRow): DeploymentRecord {
  return {
    ...deployment,
    isChecked: isChecked === 1,
    author: { id: deployment.authorId, firstName, lastName, email },
  };
}
