import { createHash } from 'node:crypto';

/** The number of an advisory lock of PostgreSQL, from the schema of the store and the name of the lock. */
export function lockKey(schema: string, name: string): bigint {
  return createHash('sha256').update(`${schema}:${name}`).digest().readBigInt64BE(0);
}
