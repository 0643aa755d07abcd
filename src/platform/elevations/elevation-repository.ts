import type { AdminValues } from '#contracts/audit/admin-values';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import {
  type AdminLog,
  type Author,
  auditUserOf,
  changeLog,
  type LogChange,
  type PersonAsAuthor,
  thePlatform,
} from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { EnvironmentRecord, UserRecord } from '../identity/identity-repository.ts';
import { endWhatLacksFactor } from '../rights/needs-second-factor.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

type Environment = Pick<EnvironmentRecord, 'id' | 'projectId' | 'name'>;

export interface ElevationRecord {
  readonly id: number;
  readonly user: UserRecord;
  readonly role: string;
  readonly environment: Environment;
  readonly reason: string;
  readonly minutes: number;
  readonly askedAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: UserRecord | null;
  readonly endsAt: number | null;
  readonly endedAt: number | null;
}

interface NewElevation extends Pick<ElevationRecord, 'user' | 'role' | 'environment' | 'reason' | 'minutes'> {
  /** Whether it begins at once. */
  readonly isGranted: boolean;
  readonly author: PersonAsAuthor;
}

interface Decision {
  readonly isGranted: boolean;
  readonly author: PersonAsAuthor;
}

/** The roles that people take for a time. Each change is logged, and the agents of the environment learn about each that changes rights. */
export interface ElevationRepository {
  /** Rejects with `REQUEST_CONFLICT` where the person has it already, or has asked for it. */
  add(elevation: NewElevation): Promise<ElevationRecord>;
  find(environmentId: number, id: number): Promise<ElevationRecord | undefined>;
  /** The newest first. */
  list(environmentId: number): Promise<readonly ElevationRecord[]>;
  /** Rejects with `REQUEST_CONFLICT` for one that nobody waits for any more. */
  decide(elevation: ElevationRecord, decision: Decision): Promise<ElevationRecord>;
  /** End one before its time, or take back what was asked for. Rejects with `REQUEST_CONFLICT` for one that is over. */
  end(elevation: ElevationRecord, author: Author): Promise<ElevationRecord>;
  /** End those whose time is up. */
  endDue(): Promise<void>;
}

/** Nobody answers what was asked longer ago. */
const answerWithinMs = 24 * 60 * 60_000;

export type ElevationState = 'asked' | 'active' | 'refused' | 'lapsed' | 'ended';

export function stateOf(
  { askedAt, decidedAt, endsAt, endedAt }: Omit<ElevationRecord, 'environment' | 'user' | 'decidedBy'>,
  now: number,
): ElevationState {
  if (endsAt !== null) return endedAt === null && endsAt > now ? 'active' : 'ended';
  if (decidedAt !== null) return 'refused';
  if (endedAt !== null) return 'ended';
  return askedAt + answerWithinMs > now ? 'asked' : 'lapsed';
}

export function createElevationRepository(store: Store, clock: Clock, adminLog: AdminLog): ElevationRepository {
  /** Runs one change after the other, as changes of people do. */
  const change = (environment: Environment, author: Author, act: (change: Change) => Promise<number>) =>
    store.transaction(async (transaction) => {
      await transaction.lock(`people of project ${environment.projectId}`);
      const log = changeLog(adminLog, transaction, environment.projectId, author);
      const demand = { projectId: environment.projectId, author, clock, adminLog };
      const id = await endWhatLacksFactor(transaction, demand, () => act({ transaction, log, now: clock.now() }));
      return recordOf(await elevations(transaction.db).where('elevations.id', '=', id).executeTakeFirstOrThrow());
    });

  return {
    add: (elevation) => change(elevation.environment, elevation.author, (whole) => addElevation(whole, elevation)),
    find: async (environmentId, id) => {
      const row = await elevations(store.db)
        .where((the) => the.and({ 'elevations.environmentId': environmentId, 'elevations.id': id }))
        .executeTakeFirst();
      return row && recordOf(row);
    },
    list: async (environmentId) => {
      const rows = await elevations(store.db)
        .where('elevations.environmentId', '=', environmentId)
        .orderBy('elevations.id', 'desc')
        .limit(500)
        .execute();
      return rows.map(recordOf);
    },
    decide: (elevation, decision) =>
      change(elevation.environment, decision.author, (whole) => decide(whole, elevation, decision)),
    end: (elevation, author) =>
      change(elevation.environment, author, async (whole) => {
        const state = stateOf(elevation, whole.now);
        const isOpen = state === 'asked' || state === 'active';
        if (!isOpen || !(await end(whole, elevation, whole.now))) throw isOver(elevation, state);
        return elevation.id;
      }),
    endDue: async () => {
      const due = await elevations(store.db)
        .where('endedAt', 'is', null)
        .where('endsAt', '<=', clock.now())
        .orderBy('elevations.id')
        .execute();
      for (const elevation of due.map(recordOf)) {
        await change(elevation.environment, thePlatform, async (whole) => {
          await end(whole, elevation, elevation.endsAt ?? whole.now);
          return elevation.id;
        });
      }
    },
  };
}

/** One change of elevations, in its transaction. */
interface Change {
  readonly transaction: StoreTransaction;
  readonly log: LogChange;
  readonly now: number;
}

async function addElevation(change: Change, elevation: NewElevation): Promise<number> {
  const { transaction, log, now } = change;
  const { user, role, environment, reason, minutes, isGranted } = elevation;
  const { db } = transaction;
  const same = await elevations(db)
    .where((the) => the.and({ 'elevations.environmentId': environment.id, userId: user.id, role, endedAt: null }))
    .execute();
  const known = same.map(recordOf).find((each) => ['asked', 'active'].includes(stateOf(each, now)));
  if (known) throw isThere(known);
  const endsAt = isGranted ? endOf(now, minutes) : null;
  const { id } = await db
    .insertInto('elevations')
    .values({
      ...{ projectId: environment.projectId, environmentId: environment.id, userId: user.id, role },
      ...{ reason, minutes, askedAt: now, decidedAt: isGranted ? now : null, endsAt },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (endsAt !== null) await begin(transaction, { id, user, role, environment }, endsAt);
  const newValue = loggedValue(elevation, isGranted ? 'active' : 'asked', endsAt);
  log({ type: 'add', resource: 'elevation', environment: environment.name, newValue });
  return id;
}

async function decide(
  { transaction, log, now }: Change,
  elevation: ElevationRecord,
  { isGranted, author }: Decision,
): Promise<number> {
  const { id, minutes, environment } = elevation;
  const endsAt = isGranted ? endOf(now, minutes) : null;
  const decided = await transaction.db
    .updateTable('elevations')
    .set({ decidedAt: now, decidedBy: author.user.id, endsAt })
    .where((the) => the.and({ id, decidedAt: null, endedAt: null }))
    .where('askedAt', '>', now - answerWithinMs)
    .returning('id')
    .executeTakeFirst();
  if (!decided) throw isOver(elevation, stateOf(elevation, now));
  if (endsAt !== null) await begin(transaction, elevation, endsAt);
  log({
    ...{ type: 'update', resource: 'elevation', environment: environment.name },
    previousValue: loggedValue(elevation, 'asked', null),
    newValue: loggedValue(elevation, isGranted ? 'active' : 'refused', endsAt),
  });
  return id;
}

/** End all that somebody has taken or asked for in a project, as a part of another change. */
export async function endElevationsOf(
  transaction: StoreTransaction,
  projectId: number,
  userId: number,
  now: number,
  log: LogChange,
): Promise<void> {
  const open = await elevations(transaction.db)
    .where((the) => the.and({ 'elevations.projectId': projectId, userId, endedAt: null }))
    .orderBy('elevations.id')
    .execute();
  for (const elevation of open.map(recordOf)) {
    const state = stateOf(elevation, now);
    if (state === 'asked' || state === 'active') await end({ transaction, log, now }, elevation, now);
  }
}

type Begun = Pick<ElevationRecord, 'id' | 'user' | 'role' | 'environment'>;

/** The role counts from now on. */
async function begin(
  transaction: StoreTransaction,
  { id, user, role, environment }: Begun,
  endsAt: number,
): Promise<void> {
  await transaction.db
    .insertInto('memberships')
    .values({
      ...{ projectId: environment.projectId, userId: user.id, kind: 'role', name: role },
      ...{ source: 'elevation', sourceName: String(id), environmentId: environment.id, endsAt },
    })
    .execute();
  announceEvent(transaction, environment.id, { name: 'refresh-users' });
}

/** @returns whether it had not ended before. */
async function end({ transaction, log }: Change, elevation: ElevationRecord, endedAt: number): Promise<boolean> {
  const { id, environment, endsAt } = elevation;
  const { db } = transaction;
  const ended = await db
    .updateTable('elevations')
    .set({ endedAt })
    .where((the) => the.and({ id, endedAt: null }))
    .returning('id')
    .executeTakeFirst();
  if (!ended) return false;
  await db
    .deleteFrom('memberships')
    .where((the) => the.and({ source: 'elevation', sourceName: String(id) }))
    .execute();
  const previousValue = loggedValue(elevation, endsAt === null ? 'asked' : 'active', endsAt);
  log({ type: 'remove', resource: 'elevation', environment: environment.name, previousValue });
  if (endsAt !== null) announceEvent(transaction, environment.id, { name: 'refresh-users' });
  return true;
}

function endOf(now: number, minutes: number): number {
  return now + minutes * 60_000;
}

function loggedValue(
  { user, role, reason, minutes }: Pick<ElevationRecord, 'user' | 'role' | 'reason' | 'minutes'>,
  state: AdminValues['elevation']['state'],
  endsAt: number | null,
): AdminValues['elevation'] {
  const at = endsAt === null ? null : new Date(endsAt).toISOString();
  return { user: auditUserOf(user), role, reason, minutes, state, endsAt: at };
}

function elevations(db: Store['db']) {
  return db
    .selectFrom('elevations')
    .innerJoin('users as person', 'person.id', 'elevations.userId')
    .innerJoin('environments', 'environments.id', 'elevations.environmentId')
    .leftJoin('users as decider', 'decider.id', 'elevations.decidedBy')
    .select(['elevations.id', 'role', 'reason', 'minutes', 'askedAt', 'decidedAt', 'endsAt', 'endedAt'])
    .select(['environments.id as environmentId', 'environments.projectId', 'environments.name as environment'])
    .select(['person.id as userId', 'person.firstName', 'person.lastName', 'person.email'])
    .select(['decider.id as deciderId', 'decider.firstName as deciderFirstName'])
    .select(['decider.lastName as deciderLastName', 'decider.email as deciderEmail']);
}

type Row = Awaited<ReturnType<ReturnType<typeof elevations>['executeTakeFirstOrThrow']>>;

function recordOf({
  userId,
  firstName,
  lastName,
  email,
  environmentId,
  projectId,
  environment,
  ...row
}: Row): ElevationRecord {
  const { deciderId, deciderFirstName, deciderLastName, deciderEmail, ...own } = row;
  const decidedBy =
    deciderId === null
      ? null
      : {
          ...{ id: deciderId, email: deciderEmail ?? '' },
          ...{ firstName: deciderFirstName ?? '', lastName: deciderLastName ?? '' },
        };
  return {
    ...own,
    user: { id: userId, firstName, lastName, email },
    environment: { id: environmentId, projectId, name: environment },
    decidedBy,
  };
}

function isThere({ role, endsAt }: ElevationRecord): CloudError {
  const what = endsAt === null ? `have asked for the role "${role}"` : `have the role "${role}"`;
  return cloudError(
    'REQUEST_CONFLICT',
    `You ${what} already.`,
    'See it: vendor-cloud elevations list, or GET /api/elevations.',
  );
}

function isOver({ role }: ElevationRecord, state: ElevationState): CloudError {
  const what = state === 'active' ? 'is answered already' : `is over: it ${overs[state]}`;
  return cloudError('REQUEST_CONFLICT', `The elevation to "${role}" ${what}.`, 'List them: GET /api/elevations.');
}

const overs = {
  asked: 'was answered meanwhile',
  refused: 'was refused',
  lapsed: 'was not answered within a day',
  ended: 'has ended',
} as const;

const lookEveryMs = 5_000;

/**
 * Ends elevations whose time is up, so that the log and the pages of the console learn about it. Agents know the end themselves, and stop at it.
 * Returns how to stop.
 */
export function endDueElevations(elevations: Pick<ElevationRepository, 'endDue'>, logger: Logger): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = looking
      .then(() => elevations.endDue())
      .catch((error: unknown) => logger.log('Warn', 'Elevations that are over could not be looked for.', { error }));
  };
  look();
  const timer = setInterval(look, lookEveryMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
