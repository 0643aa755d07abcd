import { expect, it } from 'vitest';
import { openFileObjects } from '#node/objects/file-objects';
import { type Cell, type Column, openTable, ParquetTable, readTable } from '#platform/archive/parquet-table';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const columns: readonly Column[] = [
  { name: 'sequence', type: 'INT64', isUnique: true },
  { name: 'state', type: 'STRING', isOptional: true },
  { name: 'body', type: 'STRING', isOptional: true, isUnique: true },
];

/** Write rows whenever they fill a group, and read the file again by its groups. */
async function written(rows: readonly (readonly Cell[])[]) {
  const objects = openFileObjects(await temporaryFolder());
  const table = await ParquetTable.create(objects, 'rows.parquet', columns);
  for (const row of rows) {
    table.add(row);
    if (table.isFull) await table.flush();
  }
  const file = await table.complete();
  const groups: (readonly Cell[][])[] = [];
  for await (const group of readTable(await openTable(objects, file), columns)) groups.push(group);
  return { file, groups };
}

it('a table keeps every text as it is, also those that are missing, empty, or not of ASCII', async () => {
  const texts = ['plain', '', null, 'é', '日本語', '😀', 'a\u0000b', '\uD800'.toWellFormed(), 'plain'];
  const rows = Array.from({ length: 25_000 }, (_, index): readonly Cell[] => [
    index,
    texts[index % 7] ?? null,
    texts[(index * 5) % texts.length] ?? null,
  ]);
  const { file, groups } = await written(rows);
  expect(file.rows).toBe(25_000);
  expect(groups.map((group) => group.length)).toEqual([10_000, 10_000, 5_000]);
  expect(groups.flat()).toEqual(rows);
});

it('rows with long texts make smaller groups, so that few of them are held at once', async () => {
  const rows = Array.from({ length: 50 }, (_, index): readonly Cell[] => [index, 'held', `${index}`.repeat(500_000)]);
  const { groups } = await written(rows);
  expect(groups.length).toBeGreaterThan(1);
  expect(groups.flat()).toEqual(rows);
});
