import type { Plugin } from '../../customizer/agent.ts';
import { declareFlattened } from './declare-flattened.ts';

/** Which relation is flattened, and which of its fields are imported. */
export interface FlattenRelationOptions {
  /** A relation to one record, or a path `relation:relation` of such. */
  readonly relationName: string;
  /** The fields to show. Default: every one. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** `false` insists that every field can be written. Default: as the fields are. */
  readonly readonly?: boolean;
}

/**
 * Show the fields of a related record as fields `relation@@@field` of the collection.
 *
 * @example orders.use(flattenRelation, { relationName: 'customer', include: ['name', 'email'] });
 */
export const flattenRelation: Plugin<FlattenRelationOptions> = (_agent, collection, options) => {
  declareFlattened('flattenRelation', 'relation', collection, options?.relationName, options);
};
