import path from 'node:path';
import type { Verdict } from '#contracts/audit/verdict';
import { cloudError } from '#kernel/errors/cloud-error';
import { verifyStore as verifyChains } from '#platform/index';
import { broken, readAnchors } from '../audit/verdict-errors.ts';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';

export interface VerifyStoreInput {
  readonly store: StorePlace;
  /** Files with checkpoints that were kept elsewhere. */
  readonly anchors: readonly string[];
}

export interface VerifiedStore {
  readonly store: string;
  readonly logs: readonly Verdict[];
}

/**
 * Verify every audit log in a store, and the columns by which its rows are found, also while its platform runs.
 *
 * @throws `AUDIT_LOG_BROKEN`, `AUDIT_LOG_UNVERIFIABLE`.
 */
export async function verifyStore(context: FlowContext, { store, anchors }: VerifyStoreInput): Promise<VerifiedStore> {
  const platformKey = await existingKey(context, store);
  const notes = (await Promise.all(anchors.map((file) => readAnchors(context, file)))).flat();
  const logs = await context.reporter.step('Verifying the audit logs', () =>
    verifyChains(store.address, { platformKey, anchors: notes }),
  );
  const first = logs.find(({ outcome }) => outcome === 'broken');
  if (first) throw broken(first);
  return { store: store.name, logs };
}

/** The key with which the platform signs. Nothing is made here: another key would prove nothing. */
async function existingKey(context: FlowContext, { folder }: StorePlace): Promise<string> {
  const given = context.variables['SERVICE_PLATFORM_KEY'];
  const key = given ?? (folder === undefined ? null : await context.fs.readText(path.join(folder, 'platform.key')));
  if (key) return key.trim();
  throw cloudError(
    'AUDIT_LOG_UNVERIFIABLE',
    'The key of the platform is missing, so that no signature can be checked.',
    'Set SERVICE_PLATFORM_KEY to the key of the platform.',
  );
}
