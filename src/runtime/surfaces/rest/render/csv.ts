import { Readable } from 'node:stream';
import { withoutFormula } from '#kernel/text/without-formula';
import { type CompiledCollection, columnOf, type ModelView } from '../../../model/compiled-model.ts';
import { resolvePath } from '../../../model/field-path.ts';
import { isListType } from '../../../query/operators.ts';
import { valueReader } from '../../../query/record-path.ts';
import type { RecordData } from '../../../query/record-query.ts';

export interface CsvExport {
  /** Rows as they are read. It fails when reading fails, so that a cut-off file never looks complete. */
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
    const { type } = columnOf(resolvePath(model, collection, path).field);
    // A number may well begin with a minus.
    const isNumeric = type === 'Number' || (isListType(type) && type[0] === 'Number');
    return (record: RecordData) => (isNumeric ? textOf(read(record)) : withoutFormula(textOf(read(record))));
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

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
