import type { KeyObject } from 'node:crypto';
import type { Checkpoints } from './checkpoints.ts';

/** What a platform with a key signs its audit log with. */
export interface AuditSigner {
  readonly key: KeyObject;
  readonly checkpoints: Checkpoints;
}
