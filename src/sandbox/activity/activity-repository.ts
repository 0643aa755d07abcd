import type { Activity } from '#contracts/activity';

/** What people did through the agents of each environment. Nothing of it is ever changed. */
export interface ActivityRepository {
  /** Store what is not stored yet, all of it or nothing. */
  add(environmentId: number, activities: readonly Activity[]): Promise<void>;
  /** The first of them, in the order in which they arrived. */
  list(environmentId: number, limit: number): Promise<readonly Activity[]>;
}
