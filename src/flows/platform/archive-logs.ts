import { BrokenLog } from '#contracts/audit/verdict';
import { cloudError } from '#kernel/errors/cloud-error';
import { type ArchivedLog, archiveStore, openArchive } from '#platform/index';
import { archiveBroken, broken } from '../audit/verdict-errors.ts';
import type { FlowContext } from '../flow-context.ts';
import { knownPlatformKey } from './known-platform-key.ts';
import type { StorePlace } from './store-place.ts';

export interface ArchiveLogsInput {
  readonly store: StorePlace;
  /** Address of the archive. */
  readonly to: string;
}

export interface ArchivedLogs {
  readonly archive: string;
  readonly logs: readonly Omit<ArchivedLog, 'problem'>[];
}

/**
 * Archive the months of all logs in a store that are over, also while its platform runs. A month that is archived already is left as it is,
 * except for what was erased since.
 *
 * @throws `AUDIT_LOG_BROKEN` where a log does not hold: the months before that, and the other logs, are archived all the same.
 */
export async function archiveLogs(context: FlowContext, { store, to }: ArchiveLogsInput): Promise<ArchivedLogs> {
  const objects = await openArchive(to, context);
  const platformKey = await existingKey(context, store);
  const logs = await context.reporter.step('Archiving the audit logs', () =>
    archiveStore({ address: store.address, platformKey, objects, clock: context.clock }).catch((error: unknown) => {
      throw error instanceof BrokenLog ? archiveBroken(error.problem) : error;
    }),
  );
  const wrong = logs.find(({ problem }) => problem !== null);
  if (wrong) throw broken({ problem: wrong.problem, rows: 0 });
  return { archive: objects.name, logs: logs.map(({ problem: _, ...log }) => log) };
}

async function existingKey(context: FlowContext, store: StorePlace): Promise<string> {
  const key = await knownPlatformKey(context, store);
  if (key !== undefined) return key;
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    'The key of the platform is missing, so nothing can sign the archive.',
    'Set SERVICE_PLATFORM_KEY to the key of the platform, or put platform.key beside the store.',
  );
}
