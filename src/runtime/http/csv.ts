import { Readable } from 'node:stream';
import { type CompiledCollection, columnOf, type ModelView } from '../plan/compiled-model.ts';
import { resolvePath } from '../plan/field-path.ts';
import { valueReader } from '../query/record-path.ts';
import type { RecordData } from '../query/record-query.ts';

/** A text that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/;

export interface CsvExport {
  /** Rows as they are read; it fails where reading fails, so that a file that is cut off is never one that ends. */
  readonly body: Readable;
  /** Records written so far. */
  count(): number;
}

/** A CSV file (RFC 4180, lines ending in a line feed) with a line of titles and one for each record. */
export function csvOf(
  model: ModelView,
  collection: CompiledCollection,
  paths: readonly string[],
  titles: readonly string[],
  batches: AsyncIterable<readonly RecordData[]>,
): CsvExport {
  const columns = paths.map((path) => {
    const read = valueReader(path);
    const isText = columnOf(resolvePath(model, collection, path).field).type === 'String';
    return (record: RecordData) => cellOf(read(record), isText);
  });
  let written = 0;
  async function* lines(): AsyncGenerator<string> {
    const { stringify } = await import('csv-stringify/sync');
    let isBegun = false;
    for await (const batch of batches) {
      written += batch.length;
      const rows = batch.map((record) => columns.map((column) => column(record)));
      // The titles wait for the first records: until then a failure can still be answered as one.
      yield stringify(isBegun ? rows : [titles, ...rows]);
      isBegun = true;
    }
    if (!isBegun) yield stringify([titles]);
  }
  return { body: Readable.from(lines(), { objectMode: false }), count: () => written };
}

function cellOf(value: unknown, isText: boolean): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((item) => cellOf(item, false)).join(',');
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  // Only texts: a number may well begin with a minus.
  return isText && formula.test(text) ? `'${text}` : text;
}
