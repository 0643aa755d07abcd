import type { MembershipSource } from '#contracts/memberships';
import { auditUserOf, type LogChange } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { StoreTransaction } from '../store/store.ts';

/** A role or a team that somebody is to have, as long as its source gives it. */
export interface WantedMembership {
  readonly kind: 'role' | 'team';
  /** Name of one of the project. */
  readonly name: string;
  /** Name of the group that gives it; `null` for an administrator. */
  readonly sourceName: string | null;
}

interface Holder {
  readonly projectId: number;
  readonly user: UserRecord;
}

/**
 * Give a member the roles and teams of one source, in place of all that it gave before. It is part of another change, which holds the lock
 * `people of project <id>`. Agents learn about it, and each difference is logged.
 *
 * @returns whether anything is different now.
 */
export async function replaceMemberships(
  transaction: StoreTransaction,
  { projectId, user }: Holder,
  source: Exclude<MembershipSource, 'elevation'>,
  wanted: readonly WantedMembership[],
  log: LogChange,
): Promise<boolean> {
  const { db } = transaction;
  const known = await db
    .selectFrom('memberships')
    .select(['id', 'kind', 'name', 'sourceName'])
    .where((the) => the.and({ projectId, userId: user.id, source }))
    .orderBy('id')
    .execute();
  const added = wanted.filter((each) => !known.some((other) => isSame(each, other)));
  const removed = known.filter((each) => !wanted.some((other) => isSame(each, other)));
  const told = ({ kind, name, sourceName }: WantedMembership) => ({
    ...{ user: auditUserOf(user), kind, name, source },
    ...(sourceName === null ? {} : { group: sourceName }),
  });
  for (const each of removed) {
    await db.deleteFrom('memberships').where('id', '=', each.id).execute();
    log({ type: 'remove', resource: 'membership', previousValue: told(each) });
  }
  for (const { kind, name, sourceName } of added) {
    const row = { projectId, userId: user.id, kind, name, source, sourceName };
    await db
      .insertInto('memberships')
      .values({ ...row, environmentId: null, endsAt: null })
      .execute();
    log({ type: 'add', resource: 'membership', newValue: told({ kind, name, sourceName }) });
  }
  const isChanged = added.length + removed.length > 0;
  if (isChanged) await tellAgents(transaction, projectId);
  return isChanged;
}

function isSame(one: WantedMembership, other: WantedMembership): boolean {
  return one.kind === other.kind && one.name === other.name && one.sourceName === other.sourceName;
}

/** Tell the agents of all environments of a project that its people are others now. */
export async function tellAgents(transaction: StoreTransaction, projectId: number): Promise<void> {
  const environments = await transaction.db
    .selectFrom('environments')
    .select('id')
    .where('projectId', '=', projectId)
    .orderBy('id')
    .execute();
  for (const { id } of environments) announceEvent(transaction, id, { name: 'refresh-users' });
}
