import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto';

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
