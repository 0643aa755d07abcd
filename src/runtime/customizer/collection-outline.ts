import type { CollectionSchema, ColumnSchema, RelationSchema } from '../query/collection-schema.ts';

/** A collection as its data source has it, by original names; what customizations add is not in it. */
export interface CollectionOutline {
  readonly name: string;
  /** Nothing can be written: it has no key, or is a view. */
  readonly isReadOnly: boolean;
  /** Deletion marks the records, which can be restored. */
  readonly marksDeletions: boolean;
  readonly columns: readonly ColumnOutline[];
  readonly relations: readonly RelationOutline[];
}

/** What a plugin knows of a column. */
export type ColumnOutline = Pick<
  ColumnSchema,
  'name' | 'type' | 'isPrimaryKey' | 'isNullable' | 'isReadOnly' | 'enumValues'
>;

/** What a plugin knows of a relation. */
export type RelationOutline = Pick<RelationSchema, 'kind' | 'name' | 'foreignCollection'>;

export function outlineOf({ name, isReadOnly, softDelete, fields }: CollectionSchema): CollectionOutline {
  const all = [...fields.values()];
  return {
    name,
    isReadOnly,
    marksDeletions: softDelete !== undefined,
    columns: all.flatMap((field) => (field.kind === 'column' ? [columnOutline(field)] : [])),
    relations: all.flatMap((field) => {
      if (field.kind === 'column') return [];
      return [{ kind: field.kind, name: field.name, foreignCollection: field.foreignCollection }];
    }),
  };
}

function columnOutline({ name, type, isPrimaryKey, isNullable, isReadOnly, enumValues }: ColumnSchema): ColumnOutline {
  return { name, type, isPrimaryKey, isNullable, isReadOnly, ...(enumValues ? { enumValues } : {}) };
}
