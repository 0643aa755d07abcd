import type { RestoreEntry } from '#contracts/audit/register';
import { signRestore } from '#contracts/audit/signing';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { openStore, type StoreAddress } from '../store/open-store.ts';
import { type Restored, type RestoreInput, restoreBackup } from '../transfer/restore-backup.ts';
import { deriveCheckpointKey } from './checkpoints.ts';
import { appendToRegister, openRegister } from './register.ts';

interface RestoreStoreInput extends RestoreInput {
  /** Signs what the register of the audit logs says of the restore; without it, the register says nothing. */
  readonly platformKey: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Make a store from a backup, and say so in the register of its logs: how long each log was, and when. Rows that were written after the
 * backup are missing, and nobody but the holder of the key can say that a restore is why.
 */
export function restoreStore({ platformKey, clock, random, ...input }: RestoreStoreInput): Promise<Restored> {
  if (platformKey === undefined) return restoreBackup(input);
  const finish = (address: StoreAddress, header: Restored['header']) =>
    noteRestore(address, header, { platformKey, clock, random });
  return restoreBackup({ ...input, finish });
}

async function noteRestore(
  address: StoreAddress,
  { madeAt, madeBy }: Restored['header'],
  { platformKey, ...parts }: { readonly platformKey: string; readonly clock: Clock; readonly random: Random },
): Promise<void> {
  const key = deriveCheckpointKey(platformKey);
  const store = await openStore(address);
  try {
    await store.transaction(async (transaction) => {
      const register = await openRegister(transaction, parts);
      const logs = await transaction.db.selectFrom('auditChains').selectAll().orderBy('id').execute();
      const at = new Date(parts.clock.now()).toISOString();
      const entries = [register, ...logs].map(({ chain, headSequence: size, headHash: hash }): RestoreEntry => {
        const statement = { logChain: chain, size, hash, madeAt, madeBy, at };
        return { object: 'restore', id: parts.random.uuid(), ...statement, note: signRestore(statement, key) };
      });
      await appendToRegister(transaction, register, entries, parts);
    });
  } finally {
    await store.close();
  }
}
