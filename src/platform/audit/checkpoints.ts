import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import { isSignedBy } from '#contracts/audit/checkpoint';
import { signCheckpoint, verifierOf } from '#contracts/audit/signing';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import type { Checkpoints } from './audit-signer.ts';
import { type RegisterHead, registerHead } from './register.ts';
import { settleBefore } from './segments.ts';

/** What stands before the 32 bytes of an Ed25519 key in DER. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that signs checkpoints. It is derived from the key of the platform, so that it is never in the store, and all
 * processes of the platform have the same.
 */
export function deriveCheckpointKey(platformKey: string): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', platformKey, '', 'vendor-cloud audit checkpoints', 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
}

/**
 * Refuse a key that has signed nothing of a store whose logs are signed: what it signed would look like the work of an intruder. The
 * oldest checkpoint counts beside the newest, which may be by a process that was started with a wrong key.
 *
 * @param undone says what did not happen.
 */
export async function refuseOtherKey(db: Store['db'], key: KeyObject, undone: string): Promise<void> {
  const notes = db.selectFrom('auditCheckpoints').select('note').limit(1);
  const ends = await Promise.all(
    (['desc', 'asc'] as const).map((direction) => notes.orderBy('at', direction).executeTakeFirst()),
  );
  const signed = ends.filter((end) => end !== undefined);
  if (signed.length === 0 || signed.some(({ note }) => isSignedBy(note, [verifierOf(key)]))) return;
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    `This is not the key that the audit logs of the store are signed with. ${undone}`,
    'Set SERVICE_PLATFORM_KEY to the key of the platform, or put its platform.key beside the store.',
  );
}

/** Writes a signed checkpoint where the store cannot reach it. */
type KeepCheckpoint = (note: string) => Promise<void>;

interface CheckpointOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly key: KeyObject;
  readonly keep: KeepCheckpoint;
}

/** What is signed: a log, or the register of all. */
type Signable = ChainRecord | (RegisterHead & { readonly id: 'register' });

/** A chain that grows is signed after a minute or ten thousand rows; one that rests, every hour: its silence is a statement too. */
const growingMs = 60_000;
const growingRows = 10_000;
const restingMs = 60 * 60_000;

export function createCheckpoints({ store, clock, key, keep }: CheckpointOptions): Checkpoints {
  /** A checkpoint of the future is by a clock that was wrong: it says nothing about how long a chain has been silent. */
  const newestOf = ({ id }: Signable) => {
    const columns = ['size', 'at', 'note'] as const;
    return id === 'register'
      ? store.db
          .selectFrom('auditRegisterCheckpoints')
          .select(columns)
          .where('at', '<=', clock.now())
          .orderBy('size', 'desc')
          .orderBy('at', 'desc')
          .limit(1)
          .executeTakeFirst()
      : store.db
          .selectFrom('auditCheckpoints')
          .select(columns)
          .where('chainId', '=', id)
          .where('at', '<=', clock.now())
          .orderBy('size', 'desc')
          .orderBy('at', 'desc')
          .limit(1)
          .executeTakeFirst();
  };

  const write = async (signable: Signable) => {
    const { id, chain, headSequence: size, headHash: hash } = signable;
    const at = clock.now();
    if (signable.id !== 'register') await settleBefore({ store, clock, key }, signable);
    const note = signCheckpoint({ chain, size, hash, at: new Date(at).toISOString() }, key);
    await store.transaction(async ({ db }) => {
      const insertion =
        id === 'register'
          ? db.insertInto('auditRegisterCheckpoints').values({ size, at, note })
          : db.insertInto('auditCheckpoints').values({ chainId: id, size, at, note });
      await insertion.onConflict((same) => same.doNothing()).execute();
    });
    // Last, because a checkpoint that is kept elsewhere and not in the store was removed from it.
    await keep(note);
    return note;
  };

  const register = async (): Promise<Signable | undefined> => {
    const head = await registerHead(store.db);
    return head && { id: 'register', ...head };
  };

  const signGrown = async (chain: Signable) => {
    const newest = await newestOf(chain);
    return newest?.size === chain.headSequence ? newest.note : write(chain);
  };

  const signWhere = async (isDue: (grown: number, ageMs: number) => boolean) => {
    const logs: readonly Signable[] = await store.db.selectFrom('auditChains').selectAll().execute();
    const first = await register();
    for (const chain of first ? [first, ...logs] : logs) {
      const newest = await newestOf(chain);
      const grown = chain.headSequence - (newest?.size ?? 0);
      if (!newest || isDue(grown, clock.now() - newest.at)) await write(chain);
    }
  };

  return {
    sign: signGrown,
    signRegister: async () => {
      const found = await register();
      return found && signGrown(found);
    },
    signDue: () =>
      signWhere((grown, ageMs) => (grown > 0 && (ageMs >= growingMs || grown >= growingRows)) || ageMs >= restingMs),
    signAll: () => signWhere((grown) => grown > 0),
  };
}
