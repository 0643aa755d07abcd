import { type PeopleHistory, type PersonChanges, personChangesSchema } from '#contracts/people';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import type { MemberRecord } from '../identity/identity-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A member, active or not. */
export interface PersonRecord extends MemberRecord {
  readonly deactivatedAt: number | null;
}

export interface HistoryPage {
  readonly limit: number;
  readonly before?: number | undefined;
}

/** Who changed the members of a project, newest first. */
export type ListPeopleHistory = (projectId: number, page: HistoryPage) => Promise<PeopleHistory>;

/** Write down who changed a person, as a part of the change. Nothing is written where nothing is different. */
export async function recordChange(
  { db }: StoreTransaction,
  clock: Clock,
  change: {
    readonly projectId: number;
    readonly authorId: number;
    /** `undefined` for somebody who has just become a member. */
    readonly before: PersonRecord | undefined;
    readonly after: PersonRecord;
  },
): Promise<void> {
  const { projectId, authorId, before, after } = change;
  const changes: PersonChanges = {
    level: changed(before?.permissionLevel, after.permissionLevel),
    role: changed(before?.roleName, after.roleName),
    team: changed(before?.team, after.team),
    isActive: changed(before && before.deactivatedAt === null, after.deactivatedAt === null),
  };
  if (Object.values(changes).every((each) => each === undefined)) return;
  await db
    .insertInto('peopleChanges')
    .values({ projectId, userId: after.id, authorId, at: clock.now(), changes: JSON.stringify(changes) })
    .execute();
}

function changed<Value>(before: Value | undefined, after: Value) {
  return before === after ? undefined : { before: before ?? null, after };
}

export function createPeopleHistory(store: Store): ListPeopleHistory {
  return async (projectId, { limit, before }) => {
    const rows = await store.db
      .selectFrom('peopleChanges')
      .innerJoin('users as person', 'person.id', 'peopleChanges.userId')
      .innerJoin('users as author', 'author.id', 'peopleChanges.authorId')
      .select(['peopleChanges.id', 'peopleChanges.at', 'peopleChanges.changes'])
      .select(['person.id as personId', 'person.email as personEmail'])
      .select(['author.firstName', 'author.lastName', 'author.email'])
      .where('peopleChanges.projectId', '=', projectId)
      .where('peopleChanges.id', '<', before ?? Number.MAX_SAFE_INTEGER)
      .orderBy('peopleChanges.id', 'desc')
      .limit(limit + 1)
      .execute();
    const changes = rows.slice(0, limit).map(({ id, at, personId, personEmail, email, ...row }) => ({
      id,
      person: { id: personId, email: personEmail },
      author: { name: fullNameOf(row), email },
      at: new Date(at).toISOString(),
      changes: personChangesSchema.parse(JSON.parse(row.changes)),
    }));
    return { changes, nextBefore: rows.length > limit ? (changes.at(-1)?.id ?? null) : null };
  };
}
