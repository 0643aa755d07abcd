import { createHash, type Hash } from 'node:crypto';
import type * as z from 'zod';
import type { backupRowSchema, TableEnd } from '#contracts/backup';
import { cloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { Row } from './table-access.ts';

/** A row as the line of a backup, without its end. */
export function rowLine(row: Row): string {
  return JSON.stringify(row.map(encoded));
}

function encoded(value: SqlValue): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  if (typeof value !== 'bigint' && typeof value !== 'boolean') return value;
  throw cloudError('INTERNAL_BUG', `A column of the store holds a ${typeof value}.`);
}

export function decodedRow(row: z.infer<typeof backupRowSchema>): Row {
  return row.map((value) =>
    typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value,
  );
}

/** Counts the rows of a table and takes their digest. */
export class TableDigest {
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;

  /** @param line of a row, without its end. */
  add(line: string): void {
    this.#hash.update(line).update('\n');
    this.#rows++;
  }

  get rows(): number {
    return this.#rows;
  }

  end(table: string): TableEnd {
    return { end: table, rows: this.#rows, sha256: this.#hash.digest('hex') };
  }
}
