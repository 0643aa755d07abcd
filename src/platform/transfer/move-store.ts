import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { StoreAddress } from '../store/open-store.ts';
import { fillStore } from './fill-store.ts';
import { type Progress, reportEvery } from './progress.ts';
import { readStore, type StoreSnapshot } from './read-store.ts';
import { rowLine, TableDigest } from './row-line.ts';
import type { TableAccess, TableShape } from './table-access.ts';

export interface MoveInput {
  /** The store that is copied. It stays as it is. */
  readonly from: StoreAddress;
  /** A place where there is no store. */
  readonly to: StoreAddress;
  readonly progress: Progress;
}

export interface Moved {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Copy a store to another place, possibly of the other engine, as a whole or not at all. Every table is read back, and its count
 * and digest are compared.
 *
 * @throws `PLATFORM_STORE_IN_USE` when a platform uses the SQLite file, `PLATFORM_STORE_NOT_EMPTY`, `PLATFORM_STORE_UNAVAILABLE`
 */
export async function moveStore({ from, to, progress }: MoveInput): Promise<Moved> {
  const moved = { tables: 0, rows: 0 };
  await readStore(from, { isAlone: true }, (source) =>
    fillStore(to, {
      version: source.version,
      fill: async (target) => {
        for (const table of source.tables) {
          moved.rows += await copyTable(source, target, table, progress);
          moved.tables++;
        }
      },
    }),
  );
  return moved;
}

async function copyTable(source: StoreSnapshot, target: TableAccess, table: TableShape, progress: Progress) {
  const { name } = table;
  const sent = new TableDigest();
  for await (const rows of source.rows(table)) {
    await target.insert(table, rows);
    const before = sent.rows;
    for (const row of rows) sent.add(rowLine(row));
    if (Math.floor(before / reportEvery) !== Math.floor(sent.rows / reportEvery)) progress(name, sent.rows, false);
  }
  const kept = new TableDigest();
  for await (const rows of target.rows(table)) for (const row of rows) kept.add(rowLine(row));
  const [one, other] = [sent.end(name), kept.end(name)];
  if (one.rows !== other.rows || one.sha256 !== other.sha256) throw differs(name, one.rows, other.rows);
  progress(name, one.rows, true);
  return one.rows;
}

function differs(table: string, sent: number, kept: number): CloudError {
  return cloudError(
    'INTERNAL_BUG',
    `The table ${table} is not the same at its new place (${sent} rows were sent, ${kept} are there). Nothing was kept.`,
  );
}
