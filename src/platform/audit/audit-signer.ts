import type { KeyObject } from 'node:crypto';
import type { ChainRecord } from './audit-chains.ts';

/** What a platform with a key signs its audit log with. */
export interface AuditSigner {
  readonly key: KeyObject;
  readonly checkpoints: Checkpoints;
}

export interface Checkpoints {
  /** Sign the head of a chain, unless the newest checkpoint says the same; the newest checkpoint. */
  sign(chain: ChainRecord): Promise<string>;
  /** The same of the register; `undefined` before the first log. */
  signRegister(): Promise<string | undefined>;
  /** Sign the head of every chain that has grown, or whose last checkpoint is an hour old. */
  signDue(): Promise<void>;
  /** Sign the head of every chain that has grown at all. */
  signAll(): Promise<void>;
}
