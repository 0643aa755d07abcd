import type { CollectionCustomizer, Plugin } from '../../customizer/agent.ts';
import type { FlattenForm, FlattenOptions } from '../../customizer/declaration.ts';
import { declareInPlugin, takesPluginDeclarations } from '../../customizer/plugin-declarations.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { pluginMisused } from '../../user-code/refused-options.ts';

/**
 * Say what is to be taken apart; what it consists of is known when the model is compiled.
 *
 * @throws `CUSTOMIZATION_INVALID` where there is no collection, or nothing named.
 */
function declareFlattened(
  plugin: string,
  form: FlattenForm,
  collection: CollectionCustomizer | undefined,
  name: unknown,
  options: FlattenOptions | undefined,
): void {
  if (!collection) throw pluginMisused(`${plugin} is used on a collection, not on the agent.`);
  if (!takesPluginDeclarations(collection))
    throw pluginMisused(`${plugin} needs a collection of this version of the package.`);
  if (typeof name !== 'string') {
    throw pluginMisused(`${plugin} needs "${form === 'relation' ? 'relationName' : 'columnName'}" in its options.`);
  }
  collection[declareInPlugin]({ kind: 'flatten', name, form, options: options ?? {} });
}

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
