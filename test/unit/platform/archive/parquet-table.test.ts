import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BrokenLog } from '#contracts/audit/verdict';
import { openFileObjects } from '#node/objects/file-objects';
import { type Column, openTable, ParquetTable, rowsPerGroup, TableReader } from '#platform/archive/parquet-table';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const columns: readonly Column[] = [
  { name: 'record_uid', type: 'STRING', hasBloomFilter: true },
  { name: 'sequence', type: 'INT64', isUnique: true },
  { name: 'team', type: 'STRING', isOptional: true },
];
const groups = 4;
const rows = groups * rowsPerGroup;

/** A file of four row groups, with every second number as a record, by its record. */
async function start() {
  const folder = await temporaryFolder();
  const objects = openFileObjects(folder);
  const table = await ParquetTable.create(objects, 'table.parquet', columns);
  for (let row = 0; row < rows; row++)
    table.add([String(1_000_000 + row * 2), row + 1, row % 3 === 0 ? null : 'Support']);
  const file = await table.complete();
  const read = new Set<number>();
  const reader = new TableReader(await openTable(objects, file), columns, (group) => read.add(group));
  const find = async (recordId: string) => {
    read.clear();
    const found: number[] = [];
    for await (const [record, sequence] of reader.cells({ record_uid: { $eq: recordId } })) {
      if (record === recordId) found.push(Number(sequence));
    }
    return { found, read: [...read] };
  };
  return { folder, objects, file, reader, read, find };
}

describe('a table of an archive', () => {
  it('gives back what was written, group by group', async () => {
    const { reader, file } = await start();
    expect(file.rows).toBe(rows);
    let row = 0;
    for await (const { rowStart, rows: cells } of reader.groups()) {
      expect(rowStart).toBe(row);
      expect(cells[1]).toEqual([String(1_000_000 + (row + 1) * 2), row + 2, (row + 1) % 3 === 0 ? null : 'Support']);
      row += cells.length;
    }
    expect(row).toBe(rows);
  });

  it('reads the one row group that may have a record, and none for a record that is not there', async () => {
    const { find } = await start();
    const row = 2 * rowsPerGroup + 17;
    expect(await find(String(1_000_000 + row * 2))).toEqual({ found: [row + 1], read: [2] });
    // A bloom filter may be wrong about one value in a hundred.
    const absent = await Promise.all(
      [1, 3, 5, 7, 9].map((odd) => start().then(({ find: look }) => look(String(1_000_000 + odd)))),
    );
    expect(absent.flatMap(({ read }) => read).length).toBeLessThan(2);
    expect(absent.flatMap(({ found }) => found)).toEqual([]);
  });

  it('reads one row group for one row, and the last one first where somebody asks for that', async () => {
    const { reader, read } = await start();
    expect(await reader.row(3 * rowsPerGroup + 5)).toEqual([
      String(1_000_000 + (3 * rowsPerGroup + 5) * 2),
      3 * rowsPerGroup + 6,
      'Support',
    ]);
    expect([...read]).toEqual([3]);
    for await (const { rowStart } of reader.groupsFromEnd()) {
      expect(rowStart).toBe(3 * rowsPerGroup);
      break;
    }
  });

  it('cannot be read where it was cut off or is something else', async () => {
    const { folder, objects, file } = await start();
    const place = path.join(folder, 'table.parquet');
    const bytes = await readFile(place);
    for (const content of [bytes.subarray(0, bytes.length - 10), Buffer.from('not Parquet at all')]) {
      await writeFile(place, content);
      await expect(openTable(objects, { ...file, bytes: content.length })).rejects.toBeInstanceOf(BrokenLog);
    }
  });
});
