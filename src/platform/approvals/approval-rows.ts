import { type ApprovalOutcome, type ApprovalState, approvalDays, type FileApproval } from '#contracts/approvals';
import type { EnvironmentRecord, UserRecord } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';

/** How long a request waits. */
export const lapseMs = approvalDays * 24 * 60 * 60_000;

export interface ApprovalRecord {
  readonly id: number;
  readonly environment: Pick<EnvironmentRecord, 'id' | 'projectId' | 'name'>;
  /** Who asks. */
  readonly user: UserRecord;
  readonly client: FileApproval['client'] | null;
  readonly collection: string;
  readonly action: string;
  readonly records: number;
  readonly digest: string;
  /** Those who may grant it, as the agent has found with the records; `null` where it has not told. */
  readonly approvers: readonly number[] | null;
  readonly state: ApprovalState;
  readonly askedAt: number;
  readonly lapsesAt: number;
  readonly decidedAt: number | null;
  readonly decidedBy: UserRecord | null;
  readonly runId: string | null;
  readonly outcome: ApprovalOutcome['outcome'] | null;
}

export interface ApprovalComment {
  readonly approvalId: number;
  readonly user: UserRecord;
  readonly body: string;
  readonly writtenAt: number;
}

/** The requests, with who asked and who answered. */
export function approvals(db: Store['db']) {
  return db
    .selectFrom('approvals')
    .innerJoin('users as person', 'person.id', 'approvals.userId')
    .innerJoin('environments', 'environments.id', 'approvals.environmentId')
    .leftJoin('users as decider', 'decider.id', 'approvals.decidedBy')
    .select(['approvals.id', 'client', 'collection', 'action', 'records', 'digest', 'approvers', 'approvals.state'])
    .select(['askedAt', 'decidedAt', 'runId', 'outcome'])
    .select(['environments.id as environmentId', 'environments.projectId', 'environments.name as environment'])
    .select(['person.id as userId', 'person.firstName', 'person.lastName', 'person.email'])
    .select(['decider.id as deciderId', 'decider.firstName as deciderFirstName'])
    .select(['decider.lastName as deciderLastName', 'decider.email as deciderEmail']);
}

type Row = Awaited<ReturnType<ReturnType<typeof approvals>['executeTakeFirstOrThrow']>>;

export function recordOf(row: Row, now: number): ApprovalRecord {
  const { userId, firstName, lastName, email, environmentId, projectId, environment, ...rest } = row;
  const { deciderId, deciderFirstName, deciderLastName, deciderEmail, client, approvers, ...own } = rest;
  const lapsesAt = own.askedAt + lapseMs;
  return {
    ...own,
    lapsesAt,
    state: own.state === 'asked' && lapsesAt <= now ? 'lapsed' : own.state,
    client: client === null ? null : (JSON.parse(client) as NonNullable<FileApproval['client']>),
    approvers: approvers === null ? null : (JSON.parse(approvers) as readonly number[]),
    user: { id: userId, firstName, lastName, email },
    environment: { id: environmentId, projectId, name: environment },
    decidedBy:
      deciderId === null
        ? null
        : {
            ...{ id: deciderId, email: deciderEmail ?? '' },
            ...{ firstName: deciderFirstName ?? '', lastName: deciderLastName ?? '' },
          },
  };
}

/** What people said about requests, the oldest first. */
export function commentsOf(db: Store['db'], ids: readonly number[]) {
  return db
    .selectFrom('approvalComments')
    .innerJoin('users', 'users.id', 'approvalComments.userId')
    .select(['approvalId', 'body', 'writtenAt', 'users.id as userId', 'firstName', 'lastName', 'email'])
    .where('approvalId', 'in', ids)
    .orderBy('approvalComments.id')
    .execute();
}

export function commentOf({
  approvalId,
  body,
  writtenAt,
  userId: id,
  ...names
}: Awaited<ReturnType<typeof commentsOf>>[number]) {
  return { approvalId, body, writtenAt, user: { id, ...names } };
}
