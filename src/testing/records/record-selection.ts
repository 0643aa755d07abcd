import { packId, type RecordId } from '../wire/record-id.ts';
import { type FilterOptions, type LiveQuery, listQuery } from './list-query.ts';

/** All records that a list would have, but for some. */
export interface AllRecords extends FilterOptions {
  /** Only those of a segment that is a query of a database. */
  readonly liveQuery?: LiveQuery;
  /** The records to leave out. */
  readonly except?: readonly RecordId[];
}

/** The attributes of a body that select the records with these keys. */
export function selectionOfIds(ids: readonly RecordId[]) {
  return { ids: ids.map(packId), all_records: false };
}

/** The attributes of a body that select every record that fits. */
export function selectionOfAll(collection: string, { except = [], ...options }: AllRecords) {
  return {
    ids: [],
    all_records: true,
    all_records_ids_excluded: except.map(packId),
    all_records_subset_query: Object.fromEntries(listQuery(collection, options)),
  };
}
