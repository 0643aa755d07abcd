import type { PrimitiveType } from '../query/column-type.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CustomizationContext } from './customization-context.ts';

/** Related data that no collection holds: shown inside a record, never filtered or written. */
export interface ExternalRelationDefinition {
  /** The fields of one related record, and their types. */
  readonly schema: Readonly<Record<string, PrimitiveType>>;
  /** What of the record is needed to find them; default: its primary key. */
  readonly dependencies?: readonly string[];
  /** The related records of one record. Called once for each distinct set of dependencies, a few at a time. */
  listRecords?(
    record: RecordData,
    context: CustomizationContext,
  ): readonly RecordData[] | Promise<readonly RecordData[]>;
  /** The same for many records at once, one list for each, in their order. Preferred over `listRecords`. */
  listRecordsBatch?(
    records: readonly RecordData[],
    context: CustomizationContext,
  ): readonly (readonly RecordData[])[] | Promise<readonly (readonly RecordData[])[]>;
}
