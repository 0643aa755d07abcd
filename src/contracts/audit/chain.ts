import { DigestInput, sha256 } from '#kernel/digests/digests';
import { canonicalJson } from '#kernel/json/canonical-json';

/** By the version of a row. */
const formats = { 1: 'audit/v1', 2: 'audit/v2' };

/** By which rules a row is written. Rows of version 2 have no personal values in their body. */
export type RowVersion = keyof typeof formats;

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

/** What the first row of the register of all chains is linked to. */
export interface RegisterGenesis {
  readonly object: 'genesis';
  /** Id of the register, a UUID. */
  readonly chain: string;
  readonly kind: 'register';
  readonly createdAt: string;
}

/** The hash before the first row: SHA-256 of the genesis as canonical JSON (RFC 8785), in hexadecimal. */
export function genesisHash(genesis: Genesis | RegisterGenesis): string {
  return sha256(canonicalJson(genesis));
}

/** Makes the hash of each row of a chain, in hexadecimal. */
export type RowHash = (sequence: number, previousHash: string, body: string) => string;

/** The same from the hash of the body, in hexadecimal. */
export type LinkHash = (sequence: number, previousHash: string, leaf: string) => string;

/**
 * The hash of a row: SHA-256 of 1, `audit/v1` or `audit/v2`, the id of the chain, and the sequence as 8 bytes with the highest
 * first. Then come the hash before it, and SHA-256 of 0 and the body. The body is the row without its hashes and its salts, and
 * in version 2 without its personal values, as canonical JSON (RFC 8785).
 */
export function rowHashOf(chain: string, version: RowVersion): RowHash {
  const linkHash = linkHashOf(chain, version);
  return (sequence, previousHash, body) => linkHash(sequence, previousHash, leafOf(body));
}

/** The hash of a row whose body is not shown. */
export function linkHashOf(chain: string, version: RowVersion): LinkHash {
  const link = new DigestInput(`\u0001${formats[version]}${chain}`, 8 + 32 + 32);
  return (sequence, previousHash, leaf) => {
    link.writeNumber(0, sequence);
    link.writeHex(8, previousHash);
    link.writeHex(8 + 32, leaf);
    return link.sha256();
  };
}

/** SHA-256 of 0 and the body of a row, in hexadecimal. */
export function leafOf(body: string): string {
  return sha256(`\0${body}`);
}

/** The same of a body that is in two parts: texts are joined once. */
export function leafOfParts(start: string, end: string): string {
  return sha256(`\0${start}${end}`);
}
