/**
 * Fields of objects, JSON documents and relations, as fields of the collection.
 *
 * @module @vendor/cloud/plugin-flattener
 */

export {
  type FlattenColumnOptions,
  type FlattenJsonColumnOptions,
  type FlattenRelationOptions,
  flattenColumn,
  flattenJsonColumn,
  flattenRelation,
} from '#runtime/plugins/flattener/flatten-fields';
