import { setImmediate } from 'node:timers/promises';
import { exportedRow, type Genesis, genesisHash } from '#contracts/audit/chain';
import { readCheckpoint } from '#contracts/audit/checkpoint';
import type { TombstoneEntry } from '#contracts/audit/rows';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';

type Db = Store['db'];

/** So many rows are one statement: no reader holds the store for long. */
const rowsPerSlice = 1_000;

export interface ExportSlice {
  /** Each row as a line of JSON, without its end. */
  readonly lines: readonly string[];
  /** The last row of the slice. */
  readonly last: number;
}

/**
 * Every row of a chain behind `after`, up to the row `to`, oldest first, some at a time: acts and changes, and the rows that
 * belong to them. A chain that was cut off begins at its first row.
 */
export async function* exportChain(
  db: Db,
  chain: ChainRecord,
  { after, to }: { readonly after: number; readonly to: number },
): AsyncGenerator<ExportSlice> {
  let last = Math.max(after, chain.firstSequence - 1);
  let previousHash = await hashAt(db, chain, last);
  while (last < to) {
    const rows = await db
      .selectFrom('auditRows')
      .select(['sequence', 'body', 'hash'])
      .where('chainId', '=', chain.id)
      .where('sequence', '>', last)
      .where('sequence', '<=', to)
      .orderBy('sequence')
      .limit(rowsPerSlice)
      .execute();
    const lines = rows.map(({ body, hash }) => {
      const line = exportedRow(body, hash, previousHash);
      previousHash = hash;
      return line;
    });
    const newest = rows.at(-1)?.sequence;
    // The rows were removed meanwhile, as their retention says.
    if (newest === undefined) return;
    last = newest;
    yield { lines, last };
    await setImmediate();
  }
}

/** The hash of a row; of the row before the first one that is left, what its tombstone says. */
export async function hashAt(db: Db, chain: ChainRecord, sequence: number): Promise<string> {
  if (sequence === 0) return genesisHash(JSON.parse(chain.genesis) as Genesis);
  const row = await db
    .selectFrom('auditRows')
    .select('hash')
    .where('chainId', '=', chain.id)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  const hash = row?.hash ?? (await hashOfRemoved(db, chain, sequence));
  if (hash !== undefined) return hash;
  throw cloudError(
    'PLATFORM_STORE_UNAVAILABLE',
    `The row ${sequence} of the audit log is missing.`,
    'Verify the log with `vendor-cloud audit verify`.',
  );
}

async function hashOfRemoved(db: Db, chain: ChainRecord, sequence: number): Promise<string | undefined> {
  const tombstones = await db
    .selectFrom('auditRows')
    .select('body')
    .where('chainId', '=', chain.id)
    .where('kind', '=', 'tombstone')
    .orderBy('sequence', 'desc')
    .execute();
  const found = tombstones
    .map(({ body }) => readCheckpoint((JSON.parse(body) as TombstoneEntry).checkpoint))
    .find((checkpoint) => checkpoint?.size === sequence);
  return found?.hash;
}
