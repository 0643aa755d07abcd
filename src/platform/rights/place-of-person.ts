import { type Held, type HeldInProject, membershipSources } from '#contracts/memberships';
import type { PermissionFile } from '#contracts/permission-file';
import type { MemberRecord } from '../identity/identity-repository.ts';
import type { MembershipRecord } from '../identity/memberships.ts';
import { personIn } from './derive-permissions.ts';

/** What somebody has in one environment. The first role and the first team are the ones that stand where only one can. */
export interface Place {
  readonly roles: readonly [Held, ...Held[]];
  readonly teams: readonly [Held, ...Held[]];
  readonly tags: Readonly<Record<string, string>>;
}

type Membership = Omit<MembershipRecord, 'userId' | 'environment'>;

/**
 * The roles and teams of a member in an environment. The rights of the environment may name other roles for them. Those take the place of
 * what administrators and groups gave, and an elevation adds to either.
 *
 * @param memberships of the member; those of other environments do not count.
 */
export function placeOf(
  environmentId: number,
  { email, roleName, team }: Pick<MemberRecord, 'email' | 'roleName' | 'team'>,
  memberships: readonly Membership[],
  document: PermissionFile | undefined,
): Place {
  const here = memberships.filter((each) => each.environmentId === null || each.environmentId === environmentId);
  const { roles: named, tags } = document ? personIn(document, email) : { roles: undefined, tags: {} };
  const roles = furtherHeld(here, 'role');
  const [first, ...others] = named?.map((name): Held => ({ name, source: 'file' })) ?? [];
  return {
    roles: first
      ? eachOnce(first, ...others, ...roles.filter(({ source }) => source === 'elevation'))
      : eachOnce({ name: roleName, source: 'given' }, ...roles),
    teams: eachOnce({ name: team, source: 'given' }, ...furtherHeld(here, 'team')),
    tags,
  };
}

/** What somebody has in a project beside the first role, or the first team. */
export function furtherInProject(memberships: readonly MembershipRecord[], kind: 'role' | 'team'): HeldInProject[] {
  return ofKind(memberships, kind).map(({ environment, ...each }) => ({
    ...heldOf(each),
    ...(environment === null ? {} : { environment }),
  }));
}

function furtherHeld(memberships: readonly Membership[], kind: 'role' | 'team'): readonly Held[] {
  return ofKind(memberships, kind).map(heldOf);
}

function ofKind<Each extends Membership>(memberships: readonly Each[], kind: 'role' | 'team'): readonly Each[] {
  return memberships.filter((each) => each.kind === kind).toSorted(byWeight);
}

/** What has no end comes first, so that the same from two sources ends with the later one. */
function byWeight(one: Membership, other: Membership): number {
  const ends = ({ endsAt }: Membership) => endsAt ?? Number.POSITIVE_INFINITY;
  const rank = ({ source }: Membership) => membershipSources.indexOf(source);
  const [first, second] = [ends(one), ends(other)];
  if (first !== second) return first > second ? -1 : 1;
  return rank(one) - rank(other) || (one.name < other.name ? -1 : 1);
}

function heldOf({ name, source, sourceName, endsAt }: Membership): Held {
  return {
    name,
    source,
    ...(source === 'group' && sourceName !== null ? { group: sourceName } : {}),
    ...(endsAt === null ? {} : { endsAt: new Date(endsAt).toISOString() }),
  };
}

function eachOnce(first: Held, ...others: readonly Held[]): readonly [Held, ...Held[]] {
  const names = new Set([first.name]);
  const added = others.filter(({ name }) => !names.has(name) && names.add(name));
  return [first, ...added];
}
