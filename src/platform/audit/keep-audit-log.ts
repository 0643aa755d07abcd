import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Store } from '../store/store.ts';
import type { AuditSigner } from './audit-signer.ts';
import { type Retention, removeExpired } from './retention.ts';

interface KeepOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signer: AuditSigner;
  readonly retention: Retention;
}

const signMs = 10_000;
const removeMs = 60 * 60_000;

/**
 * Sign what has grown, and remove what is kept no longer. One process of the platform does it at a time. Returns how to stop, with
 * a last signature.
 */
export function keepAuditLog({ store, clock, random, logger, signer, retention }: KeepOptions): () => Promise<void> {
  const { checkpoints, key } = signer;
  let work: Promise<unknown> = Promise.resolve();
  const alone = (name: string, run: () => Promise<void>) => {
    work = work
      .then(() => store.exclusively(name, run))
      .catch((error: unknown) => logger.log('Warn', 'The audit log could not be kept.', { error, work: name }));
    return work;
  };
  const sign = () => alone('audit checkpoints', () => checkpoints.signDue());
  const remove = () => alone('audit retention', () => removeExpired({ store, clock, random, key, retention }));
  const timers = [setInterval(sign, signMs).unref(), setInterval(remove, removeMs).unref()];
  void remove();
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await alone('audit checkpoints', () => checkpoints.signAll());
  };
}
