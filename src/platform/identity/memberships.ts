import type { StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** A role or a team that a member has beside the one of their own row. */
export interface MembershipRecord extends Omit<Tables['memberships'], 'id' | 'projectId'> {
  /** Name of the environment where it counts. */
  readonly environment: string | null;
}

/** The memberships of a project that have not ended, or those of one member, by name. */
export function liveMemberships(
  db: StoreTransaction['db'],
  projectId: number,
  now: number,
  userId?: number,
): Promise<readonly MembershipRecord[]> {
  let live = db
    .selectFrom('memberships')
    .leftJoin('environments', 'environments.id', 'memberships.environmentId')
    .select(['userId', 'kind', 'memberships.name', 'source', 'sourceName', 'environmentId', 'endsAt'])
    .select('environments.name as environment')
    .where('memberships.projectId', '=', projectId)
    .where((the) => the.or([the('endsAt', 'is', null), the('endsAt', '>', now)]));
  if (userId !== undefined) live = live.where('userId', '=', userId);
  return live.orderBy('memberships.name').orderBy('memberships.id').execute();
}
