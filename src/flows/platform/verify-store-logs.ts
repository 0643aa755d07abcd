import { readCheckpoint } from '#contracts/audit/checkpoint';
import { missingCosignatures } from '#contracts/audit/cosignature';
import { readSegment } from '#contracts/audit/segment';
import { cloudError } from '#kernel/errors/cloud-error';
import { type StoreVerdict, verifyStore as verifyChains } from '#platform/index';
import { broken, readAnchors, readCosigner, unverifiable } from '../audit/verdict-errors.ts';
import type { FlowContext } from '../flow-context.ts';
import { knownPlatformKey } from './known-platform-key.ts';
import type { StorePlace } from './store-place.ts';

export interface VerifyStoreInput {
  readonly store: StorePlace;
  /** Files with checkpoints that were kept elsewhere. */
  readonly anchors: readonly string[];
  /** Public keys of machines that must have signed every log lately, or files with one. */
  readonly witnesses: readonly string[];
}

export interface VerifiedStore extends Omit<StoreVerdict, 'cosigned'> {
  readonly store: string;
}

/**
 * Verify every audit log in a store, their register, and everything by which rows are found, also while its platform runs. A log that
 * is too new to be signed is `unverifiable`, which is not an error.
 *
 * @throws `AUDIT_LOG_BROKEN`, `AUDIT_LOG_UNVERIFIABLE`.
 */
export async function verifyStore(
  context: FlowContext,
  { store, anchors, witnesses }: VerifyStoreInput,
): Promise<VerifiedStore> {
  const platformKey = await existingKey(context, store);
  const notes = (await Promise.all(anchors.map((file) => readAnchors(context, file)))).flat();
  const cosigners = await Promise.all(witnesses.map((key) => readCosigner(context, key)));
  const { logs, register, cosigned } = await context.reporter.step('Verifying the audit logs', () =>
    verifyChains(store.address, { platformKey, anchors: notes }),
  );
  const first = [...logs, ...(register ? [register] : [])].find(({ outcome }) => outcome === 'broken');
  if (first) throw broken(first);
  const now = context.clock.now();
  for (const { chain, rows } of logs) {
    const own = [...cosigned, ...notes].filter((note) => readSegment(note)?.chain === chain);
    const unsigned = rows === 0 ? [] : missingCosignatures({ what: 'this log', notes: own }, cosigners, now);
    if (unsigned.length > 0) throw unverifiable({ missing: [`Log ${chain}:`, ...unsigned], rows });
  }
  const ofRegister = [...cosigned, ...notes].filter((note) => readCheckpoint(note)?.chain === register?.chain);
  const unsigned =
    logs.length === 0 ? [] : missingCosignatures({ what: 'the register', notes: ofRegister }, cosigners, now);
  if (unsigned.length > 0) throw unverifiable({ missing: unsigned, rows: register?.rows ?? 0 });
  return { store: store.name, logs, register };
}

async function existingKey(context: FlowContext, store: StorePlace): Promise<string> {
  const key = await knownPlatformKey(context, store);
  if (key !== undefined) return key;
  throw cloudError(
    'AUDIT_LOG_UNVERIFIABLE',
    'The key of the platform is missing, so that no signature can be checked.',
    'Set SERVICE_PLATFORM_KEY to the key of the platform.',
  );
}
