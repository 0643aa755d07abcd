import { createHash } from 'node:crypto';
import { canonicalJson } from '#kernel/json/canonical-json';

const leafTag = Buffer.from([0]);
const linkTag = Buffer.from([1]);
const format = Buffer.from('audit/v1');

/** What the first row of a chain is linked to. */
export interface Genesis {
  readonly object: 'genesis';
  /** Id of the chain, a UUID. */
  readonly chain: string;
  readonly kind: 'activity' | 'admin';
  readonly project: string;
  /** `null` for the chain of a project. */
  readonly environment: string | null;
  readonly createdAt: string;
}

/** The hash before the first row: SHA-256 of the genesis as canonical JSON (RFC 8785), in hexadecimal. */
export function genesisHash(genesis: Genesis): string {
  return createHash('sha256').update(canonicalJson(genesis)).digest('hex');
}

/** What is hashed of each link beside the row: the tag, the format and the id of the chain. */
export function linkPrefix(chain: string): Buffer {
  return Buffer.concat([linkTag, format, Buffer.from(chain)]);
}

/**
 * The hash of a row, in hexadecimal: SHA-256 of 1, `audit/v1`, the id of the chain, the sequence as 8 bytes with the highest
 * first, the hash before it, and SHA-256 of 0 and the body.
 *
 * @param prefix of the chain, from `linkPrefix`.
 * @param body canonical JSON (RFC 8785) of the row without its hashes.
 */
export function rowHash(prefix: Buffer, sequence: number, previousHash: string, body: string): string {
  const place = Buffer.allocUnsafe(8);
  place.writeBigUInt64BE(BigInt(sequence));
  const leaf = createHash('sha256').update(leafTag).update(body).digest();
  return createHash('sha256').update(prefix).update(place).update(previousHash, 'hex').update(leaf).digest('hex');
}

/** The line of a row in an export: its body with both hashes. */
export function exportedRow(body: string, hash: string, previousHash: string): string {
  return `${body.slice(0, -1)},"hash":"${hash}","previousHash":"${previousHash}"}`;
}
