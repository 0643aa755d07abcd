import { type PeopleHistory, type PersonChanges, personChangesSchema } from '#contracts/people';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import type { MemberRecord } from '../identity/identity-repository.ts';
import type { MembershipRecord } from '../identity/memberships.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

/** A member, active or not. */
export interface PersonRecord extends MemberRecord {
  readonly deactivatedAt: number | null;
  /** The roles and teams beside the first ones, wherever they come from. */
  readonly further: readonly MembershipRecord[];
}

/** The roles, or the teams, that administrators have given somebody, the first one first. */
export function givenNames({ roleName, team, further }: PersonRecord, kind: 'role' | 'team'): readonly string[] {
  const given = further.filter((each) => each.kind === kind && each.source === 'given');
  return [kind === 'role' ? roleName : team, ...given.map(({ name }) => name)];
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
    roles: changedNames(before, after, 'role'),
    teams: changedNames(before, after, 'team'),
    isActive: changed(before && before.deactivatedAt === null, after.deactivatedAt === null),
  };
  if (Object.values(changes).every((each) => each === undefined)) return;
  await db
    .insertInto('peopleChanges')
    .values({ projectId, userId: after.id, authorId, at: clock.now(), changes: JSON.stringify(changes) })
    .execute();
}

/** The first one is a change of its own. */
function changedNames(before: PersonRecord | undefined, after: PersonRecord, kind: 'role' | 'team') {
  const [had, has] = [before && givenNames(before, kind), givenNames(after, kind)];
  if ((had?.length ?? 1) === 1 && has.length === 1) return undefined;
  if (canonicalJson(had ?? null) === canonicalJson(has)) return undefined;
  return { before: had ? [...had] : null, after: [...has] };
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
