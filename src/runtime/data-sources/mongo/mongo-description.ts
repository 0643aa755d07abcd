import type { TableDescription } from '../tables/table-description.ts';
import type { DocumentSource } from './document-source.ts';

/** What a data source shows of a database. */
export interface MongoDescription {
  readonly tables: readonly TableDescription[];
  /** Where the records of each table are. */
  readonly sources: ReadonlyMap<string, DocumentSource>;
  /** Those whose records cannot be written: views, and elements of arrays without ids of their own. */
  readonly readOnly: ReadonlySet<string>;
  readonly warnings: readonly string[];
}
