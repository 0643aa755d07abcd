import type { StoreTransaction } from '../store/store.ts';

/** Ids of the projects that somebody is or was a member of, in order. */
export async function projectsOfPerson(db: StoreTransaction['db'], userId: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('members')
    .select('projectId')
    .where('userId', '=', userId)
    .orderBy('projectId')
    .execute();
  return rows.map(({ projectId }) => projectId);
}
