import type { Plugin } from '../../customizer/agent.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { declareFlattened } from './declare-flattened.ts';

/** Which JSON column is flattened, and into which fields. */
export interface FlattenJsonColumnOptions {
  readonly columnName: string;
  /** The types of what is inside, by key; objects in it are taken apart too, lists (`['String']`) are one field. */
  readonly columnType: Readonly<Record<string, ColumnType>>;
  /** How deep objects are taken apart. Default: as deep as `columnType`. */
  readonly level?: number;
  /** Default `false`, if the column can be written. */
  readonly readonly?: boolean;
  /** Publish the column itself as well. Default `false`. */
  readonly keepOriginalColumn?: boolean;
}

/**
 * Show the values inside a JSON column as fields `column@@@key@@@key`, which the database filters, sorts and groups by.
 * Writing some of them changes nothing else in the document; writing the column itself replaces it.
 *
 * @example
 * customers.use(flattenJsonColumn, { columnName: 'address', columnType: { city: 'String', geo: { lat: 'Number' } } });
 */
export const flattenJsonColumn: Plugin<FlattenJsonColumnOptions> = (_agent, collection, options) => {
  declareFlattened('flattenJsonColumn', 'document', collection, options?.columnName, options);
};
