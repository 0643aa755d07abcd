import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { authorOf, createAdminLog } from '#sandbox/audit/admin-log';

/** What repositories log their changes with. */
export const recordChange = createAdminLog(systemClock, systemRandom);

/** Somebody with that id as the author of a change. */
export function authorNumbered(id: number) {
  return authorOf({ id, email: 'ada@example.test', firstName: 'Ada', lastName: 'Lovelace' }, undefined);
}
