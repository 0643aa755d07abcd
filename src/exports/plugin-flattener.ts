/**
 * Fields of objects, JSON documents and relations, as fields of the collection.
 *
 * @module @vendor/cloud/plugin-flattener
 */

export { type FlattenColumnOptions, flattenColumn } from '#runtime/plugins/flattener/flatten-column';
export { type FlattenJsonColumnOptions, flattenJsonColumn } from '#runtime/plugins/flattener/flatten-json-column';
export { type FlattenRelationOptions, flattenRelation } from '#runtime/plugins/flattener/flatten-relation';
