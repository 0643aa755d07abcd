import { canonicalJson } from '#kernel/json/canonical-json';
import type { ObjectStore } from '#kernel/ports/object-store';
import type { ArchivedRows } from '../audit/erase-person.ts';
import { valueColumns } from './archive-columns.ts';
import { openTable, readTable } from './parquet-table.ts';
import { readArchive } from './read-archive.ts';

interface Beside {
  readonly sequence: number;
  readonly values: Record<string, readonly [salt: string, value: unknown]>;
}

/**
 * The values of rows that an archive has and the store has removed. Until the archive has followed an erasure, rows are named again: the log
 * may say twice that a value is erased.
 */
export function createArchivedRows(objects: ObjectStore): ArchivedRows {
  return async function* (chain, before) {
    const months = (await readArchive(objects)).filter(
      ({ segment }) => segment.chain === chain && segment.first < before,
    );
    for (const { manifest } of months) {
      for await (const group of readTable(await openTable(objects, manifest.values), valueColumns)) {
        const rows = new Map<number, Beside>();
        for (const [, number, place, salt, value] of group) {
          const sequence = Number(number);
          const row = rows.get(sequence) ?? { sequence, values: {} };
          row.values[String(place)] = [String(salt), JSON.parse(String(value))];
          rows.set(sequence, row);
        }
        const removed = [...rows.values()].filter(({ sequence }) => sequence < before);
        yield removed.map(({ sequence, values }) => ({ sequence, disclosed: canonicalJson(values) }));
      }
    }
  };
}
