import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { Page, RecordData } from '../../query/record-query.ts';

const one: Page = { skip: 0, limit: 1 };
const two: Page = { skip: 0, limit: 2 };

/** The page to read one record with. In tables without a declared key a second record may have the same key. */
export function pageOfKey({ native }: CompiledCollection): Page {
  return native.isReadOnly ? two : one;
}

/** The record of a key; `undefined` where several have it, since nobody can say which of them is meant. */
export function soleRecord(records: readonly RecordData[]): RecordData | undefined {
  return records.length === 1 ? records[0] : undefined;
}
