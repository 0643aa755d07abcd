import { type BackupHeader, backupRowSchema, tableEndSchema, tableStartSchema } from '#contracts/backup';
import { migrations } from '../store/migrations/index.ts';
import type { StoreAddress } from '../store/open-store.ts';
import { invalid, jsonOf, readBackupLines } from './backup-lines.ts';
import { fillStore } from './fill-store.ts';
import { type Progress, reportEvery } from './progress.ts';
import { decodedRow, TableDigest } from './row-line.ts';
import { batchSize, type Row, type TableAccess, type TableShape } from './table-access.ts';

export interface RestoreInput {
  /** Path of the backup. */
  readonly file: string;
  /** A place where there is no store. */
  readonly store: StoreAddress;
  readonly progress: Progress;
  /** Adds to the store what no backup has, before anybody uses it. */
  readonly finish?: ((store: StoreAddress, header: BackupHeader) => Promise<void>) | undefined;
}

export interface Restored {
  readonly tables: number;
  readonly rows: number;
  readonly header: BackupHeader;
}

/**
 * Make a store from a backup, as a whole or not at all. A backup of an older version is brought to the newest one.
 *
 * @throws `PLATFORM_BACKUP_INVALID`, `PLATFORM_STORE_NOT_EMPTY`, and what `fillStore` and reading a file throw.
 */
export async function restoreBackup({ file, store, progress, finish }: RestoreInput): Promise<Restored> {
  let restored: Restored | undefined;
  await readBackupLines(file, async (header, lines) => {
    const { storeVersion: version } = header;
    if (version > migrations.length) throw invalid(file, `vendor-cloud ${header.madeBy}, which made it, is newer`);
    await fillStore(store, {
      version,
      fill: async (tables) => {
        restored = { ...(await fillFrom(lines, tables, file, progress)), header };
      },
      finish: async (address) => finish?.(address, header),
    });
  });
  if (!restored) throw invalid(file, 'it holds nothing');
  return restored;
}

async function fillFrom(lines: AsyncIterable<string>, access: TableAccess, file: string, progress: Progress) {
  const waiting = new Map(access.tables.map((table) => [table.name, table]));
  const done = { tables: 0, rows: 0 };
  let current: TableReader | undefined;
  for await (const line of lines) {
    const value = jsonOf(line);
    if (current && Array.isArray(value)) {
      await current.add(line, value);
    } else if (current) {
      done.rows += await current.end(value);
      done.tables++;
      current = undefined;
    } else {
      current = new TableReader(shapeOf(value, waiting, file), access, file, progress);
    }
  }
  if (current || waiting.size > 0) throw invalid(file, 'tables are missing');
  return done;
}

/** The table that begins, with the columns in the order of the backup. */
function shapeOf(value: unknown, waiting: Map<string, TableShape>, file: string): TableShape {
  const start = tableStartSchema.safeParse(value);
  const known = start.success ? waiting.get(start.data.table) : undefined;
  if (!start.success || !known) throw invalid(file, 'it holds something else than the tables of its version');
  const { table, columns } = start.data;
  const isSame = columns.length === known.columns.length && new Set(columns).isSupersetOf(new Set(known.columns));
  if (!isSame) {
    throw invalid(file, `the table ${table} has other columns in its version`);
  }
  waiting.delete(table);
  return { ...known, columns };
}

/** Puts the rows of one table into the store, and compares their digest. */
class TableReader {
  readonly #digest = new TableDigest();
  readonly #table: TableShape;
  readonly #access: TableAccess;
  readonly #file: string;
  readonly #progress: Progress;
  #batch: Row[] = [];
  #hasBytes = false;

  constructor(table: TableShape, access: TableAccess, file: string, progress: Progress) {
    this.#table = table;
    this.#access = access;
    this.#file = file;
    this.#progress = progress;
  }

  async add(line: string, value: unknown): Promise<void> {
    const row = backupRowSchema.safeParse(value);
    const { name, columns } = this.#table;
    if (!row.success || row.data.length !== columns.length) throw invalid(this.#file, `a row of ${name} is malformed`);
    this.#digest.add(line);
    this.#batch.push(decodedRow(row.data));
    this.#hasBytes ||= row.data.some((each) => typeof each === 'object' && each !== null);
    if (this.#batch.length >= batchSize(this.#hasBytes)) await this.#flush();
    if (this.#digest.rows % reportEvery === 0) this.#progress(name, this.#digest.rows, false);
  }

  /** Resolves to how many rows there were. */
  async end(value: unknown): Promise<number> {
    await this.#flush();
    const { name } = this.#table;
    const said = tableEndSchema.safeParse(value);
    const found = this.#digest.end(name);
    const isSame =
      said.success && said.data.end === name && said.data.rows === found.rows && said.data.sha256 === found.sha256;
    if (!isSame) throw invalid(this.#file, `the rows of ${name} are not those that were saved`);
    this.#progress(name, found.rows, true);
    return found.rows;
  }

  async #flush(): Promise<void> {
    if (this.#batch.length > 0) await this.#access.insert(this.#table, this.#batch);
    this.#batch = [];
  }
}
