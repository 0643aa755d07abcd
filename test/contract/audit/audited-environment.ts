import type { ActivityEntry } from '#contracts/audit/rows';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '#platform/store/store';
import { provisionIn } from '../../helpers/admin-log.ts';

/** Environments of a project, one after another. */
export async function auditedEnvironment(store: Store, clock?: Clock) {
  let current = 0;
  let projectId = 0;
  const next = async () => {
    const { environment } = await provisionIn(
      store,
      {
        project: `shop ${crypto.randomUUID()}`,
        secretHash: crypto.randomUUID(),
        user: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
      },
      clock,
    );
    current = environment.id;
    projectId = environment.projectId;
  };
  await next();
  return {
    store,
    environmentId: {
      next,
      get current() {
        return current;
      },
      get projectId() {
        return projectId;
      },
    },
  };
}

export function activityEntry(given: Partial<ActivityEntry> = {}): ActivityEntry {
  return {
    object: 'activityLog',
    id: crypto.randomUUID(),
    type: 'write',
    action: 'update',
    collection: { object: 'collection', name: 'orders' },
    recordIds: ['7'],
    recordCount: 1,
    user: { object: 'user', id: 1, email: 'ada@example.test', username: 'Ada Lovelace' },
    team: { object: 'team', name: 'Operations' },
    role: 'Operations',
    environment: { object: 'environment', name: 'Development' },
    source: 'rest',
    status: 'completed',
    occurredAt: '2026-01-01T00:00:00.000Z',
    durationMs: 3,
    ...given,
  };
}
