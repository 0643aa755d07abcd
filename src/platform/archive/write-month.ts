import type { KeyObject } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type ArchivedErasure,
  type ArchivedFile,
  type ArchiveManifest,
  type ArchiveStatement,
  archivePaths,
  type archiveTables,
  erasedWithin,
} from '#contracts/audit/archive';
import { commitmentsOf } from '#contracts/audit/disclosures';
import { signArchive } from '#contracts/audit/signing';
import type { Clock } from '#kernel/ports/clock';
import type { ObjectStore } from '#kernel/ports/object-store';
import type { Row } from '../transfer/table-access.ts';
import {
  byRecord,
  recordCells,
  recordColumns,
  rowCells,
  rowColumns,
  valueCells,
  valueColumns,
} from './archive-columns.ts';
import type { MonthCheck } from './month-check.ts';
import { type Cell, type Column, openTable, ParquetTable, readTable, rowsPerGroup } from './parquet-table.ts';

export interface MonthParts {
  readonly objects: ObjectStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly key: KeyObject;
}

/** A month of a log that is over. */
export interface Month {
  readonly genesis: ArchiveManifest['genesis'];
  readonly note: string;
  readonly check: MonthCheck;
  /** All that say something of the month. */
  readonly erasures: readonly ArchivedErasure[];
}

/** This many entries of records are sorted together: a record is in one row group of each run. */
const recordsPerRun = 5 * rowsPerGroup;

/**
 * Archive a month: write its rows as they are read and checked, and the manifest when all of them hold. Whatever happens before that, the
 * month is not archived.
 *
 * @param batches Rows as `sequence`, `body`, `disclosed`, `hash`.
 * @throws `BrokenLog`.
 */
export async function writeMonth(
  parts: MonthParts,
  month: Month,
  batches: AsyncIterable<readonly Row[]>,
): Promise<ArchiveManifest> {
  const { objects } = parts;
  const paths = pathsOf(month);
  const opened: ParquetTable[] = [];
  const open = async (path: string, columns: readonly Column[]) => {
    const table = await ParquetTable.create(objects, path, columns);
    opened.push(table);
    return table;
  };
  try {
    const tables = {
      rows: await open(paths.rows, rowColumns),
      records: await open(paths.records, recordColumns),
      values: await open(paths.values, valueColumns),
    };
    await fillTables(tables, month, batches);
    month.check.finish(month.erasures);
    const files = { rows: await tables.rows.complete(), records: await tables.records.complete() };
    return await writeManifest(parts, month, { ...files, values: await tables.values.complete() });
  } catch (error) {
    // What failed first tells more than what fails because of it.
    await Promise.allSettled(opened.map((table) => table.abort()));
    throw error;
  }
}

type Tables = Readonly<Record<(typeof archiveTables)[number], ParquetTable>>;

async function fillTables({ rows, records, values }: Tables, { check }: Month, batches: AsyncIterable<readonly Row[]>) {
  let run: (readonly Cell[])[] = [];
  const writeRun = async () => {
    for (const cells of run.sort(byRecord)) records.add(cells);
    run = [];
    await records.flush();
  };
  for await (const batch of batches) {
    for (const [sequence, body, disclosed = null, hash] of batch) {
      const [number, text, beside] = [Number(sequence), String(body), disclosed === null ? null : String(disclosed)];
      const row = check.take({ body: text, hash: String(hash), disclosed: commitmentsOf(beside, number) });
      rows.add(rowCells(row, String(hash), text));
      run.push(...recordCells(row));
      for (const cells of valueCells(row, beside)) values.add(cells);
    }
    if (rows.isFull) await rows.flush();
    if (values.isFull) await values.flush();
    if (run.length >= recordsPerRun) await writeRun();
    await setImmediate();
  }
  await writeRun();
}

/** Write the values of a month again without those that were erased since. The rows stay as they are. */
export async function rewriteValues(
  parts: MonthParts,
  month: Month,
  manifest: ArchiveManifest,
): Promise<ArchiveManifest> {
  const { objects } = parts;
  const erased = new Set<string>();
  for (const erasure of month.erasures) {
    for (const [place, row] of erasedWithin(erasure, month.check.segment)) erased.add(`${row} ${place}`);
  }
  const table = await ParquetTable.create(objects, pathsOf(month).values, valueColumns);
  try {
    for await (const rows of readTable(await openTable(objects, manifest.values), valueColumns)) {
      for (const cells of rows) if (!erased.has(`${String(cells[1])} ${String(cells[2])}`)) table.add(cells);
      if (table.isFull) await table.flush();
    }
    const { rows, records } = manifest;
    return await writeManifest(parts, month, { rows, records, values: await table.complete() });
  } catch (error) {
    await Promise.allSettled([table.abort()]);
    throw error;
  }
}

function pathsOf({ genesis, check: { segment }, erasures }: Month) {
  return archivePaths({ genesis, segment, erasedTo: erasedTo(erasures) });
}

/** The row of the newest erasure; 0 where nothing was erased. */
export function erasedTo(erasures: readonly Pick<ArchivedErasure, 'sequence'>[]): number {
  return Math.max(0, ...erasures.map(({ sequence }) => sequence));
}

async function writeManifest(
  { objects, clock, key }: MonthParts,
  month: Month,
  files: Readonly<Record<(typeof archiveTables)[number], ArchivedFile>>,
): Promise<ArchiveManifest> {
  const { genesis, note, erasures } = month;
  const madeAt = new Date(clock.now()).toISOString();
  const statement: ArchiveStatement = {
    ...{ object: 'archive', format: 1, genesis, note, ...files },
    ...{ erasures: [...erasures], madeAt },
  };
  const manifest: ArchiveManifest = { ...statement, signature: signArchive(statement, key) };
  const out = await objects.create(pathsOf(month).manifest);
  try {
    await out.write(Buffer.from(`${JSON.stringify(manifest)}\n`));
    await out.complete();
  } catch (error) {
    await Promise.allSettled([out.abort()]);
    throw error;
  }
  return manifest;
}
