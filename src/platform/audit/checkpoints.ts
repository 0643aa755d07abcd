import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';
import { signCheckpoint } from '#contracts/audit/checkpoint';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';

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

/** Writes a signed checkpoint where the store cannot reach it. */
type KeepCheckpoint = (note: string) => Promise<void>;

export interface Checkpoints {
  /** Sign the head of a chain, unless the newest checkpoint says the same; the newest checkpoint. */
  sign(chain: ChainRecord): Promise<string>;
  /** Sign the head of every chain that has grown, or whose last checkpoint is an hour old. */
  signDue(): Promise<void>;
  /** Sign the head of every chain that has grown at all. */
  signAll(): Promise<void>;
}

interface CheckpointOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly key: KeyObject;
  readonly keep: KeepCheckpoint;
}

/** A chain that grows is signed after a minute or ten thousand rows; one that rests, every hour: its silence is a statement too. */
const growingMs = 60_000;
const growingRows = 10_000;
const restingMs = 60 * 60_000;

export function createCheckpoints({ store, clock, key, keep }: CheckpointOptions): Checkpoints {
  /** A checkpoint of the future is by a clock that was wrong: it says nothing about how long a chain has been silent. */
  const newestOf = (chainId: number) =>
    store.db
      .selectFrom('auditCheckpoints')
      .select(['size', 'at', 'note'])
      .where('chainId', '=', chainId)
      .where('at', '<=', clock.now())
      .orderBy('size', 'desc')
      .orderBy('at', 'desc')
      .limit(1)
      .executeTakeFirst();

  const write = async ({ id, chain, headSequence: size, headHash: hash }: ChainRecord) => {
    const at = clock.now();
    const note = signCheckpoint({ chain, size, hash, at: new Date(at).toISOString() }, key);
    await keep(note);
    await store.transaction(async ({ db }) => {
      await db
        .insertInto('auditCheckpoints')
        .values({ chainId: id, size, at, note })
        .onConflict((same) => same.doNothing())
        .execute();
    });
    return note;
  };

  const signWhere = async (isDue: (grown: number, ageMs: number) => boolean) => {
    for (const chain of await store.db.selectFrom('auditChains').selectAll().execute()) {
      const newest = await newestOf(chain.id);
      const grown = chain.headSequence - (newest?.size ?? 0);
      if (!newest || isDue(grown, clock.now() - newest.at)) await write(chain);
    }
  };

  return {
    sign: async (chain) => {
      const newest = await newestOf(chain.id);
      return newest?.size === chain.headSequence ? newest.note : write(chain);
    },
    signDue: () =>
      signWhere((grown, ageMs) => (grown > 0 && (ageMs >= growingMs || grown >= growingRows)) || ageMs >= restingMs),
    signAll: () => signWhere((grown) => grown > 0),
  };
}

/** What a platform with a key signs its audit log with. */
export interface AuditSigner {
  readonly key: KeyObject;
  readonly checkpoints: Checkpoints;
}
