import type { Plugin } from '../../customizer/agent.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { declareFlattened } from './declare-flattened.ts';

/** Which column of objects is flattened, and how. */
export interface FlattenColumnOptions {
  readonly columnName: string;
  /** The parts that become fields, as paths `key.key`. Default: all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** How deep objects are taken apart. Default 1. */
  readonly level?: number;
  /** Default `false`, if the column can be written. */
  readonly readonly?: boolean;
  /** Types of what is inside, instead of those of the column. */
  readonly columnType?: Readonly<Record<string, ColumnType>>;
}

/**
 * Show the fields of a structured column as fields `column@@@key` of the collection.
 *
 * @example customers.use(flattenColumn, { columnName: 'address', include: ['city', 'geo.lat'], level: 2 });
 */
export const flattenColumn: Plugin<FlattenColumnOptions> = (_agent, collection, options) => {
  declareFlattened('flattenColumn', 'structure', collection, options?.columnName, options);
};
