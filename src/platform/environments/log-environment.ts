import type { LogChange } from '../audit/admin-log.ts';
import type { StoreTransaction } from '../store/store.ts';

/** Log that an environment was made, or has come to another project; it serves nothing of it yet. */
export function logNewEnvironment(log: LogChange, name: string, type: 'add' | 'initial' = 'add'): void {
  log({ type, resource: 'environment', environment: name, newValue: { name, codeCustomizationVersion: null } });
}

/** Number of the version that an environment serves, as the log has it. */
export async function servedVersion(db: StoreTransaction['db'], environmentId: number): Promise<string | null> {
  const live = await db
    .selectFrom('deployments')
    .select('versionNumber')
    .where((the) => the.and({ environmentId, state: 'live' }))
    .executeTakeFirst();
  return live ? String(live.versionNumber) : null;
}
