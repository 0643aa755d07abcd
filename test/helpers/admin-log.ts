import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { authorOf, createAdminLog } from '#platform/audit/admin-log';
import type { Store } from '#platform/store/store';
import { type ProvisionInput, provisionDevelopment } from '#sandbox/provisioning/provision-development';

/** What repositories log their changes with. */
export const adminLog = createAdminLog(systemClock, systemRandom);

/** Somebody with that id as the author of a change. */
export function authorNumbered(id: number) {
  return authorOf({ id, email: 'ada@example.test', firstName: 'Ada', lastName: 'Lovelace' }, undefined);
}

/** Make a project with a development environment and its administrator in a store, as the local platform does. */
export function provisionIn(store: Store, input: ProvisionInput, clock: Clock = systemClock) {
  return provisionDevelopment({ store, clock, adminLog: createAdminLog(clock, systemRandom) }, input);
}
