import type { PrimitiveType } from '../query/column-type.ts';
import type { RecordData } from '../query/record-query.ts';
import type { ContextOn } from './context-on.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { ColumnValue } from './field-kind.ts';
import type { RecordOf } from './record-types.ts';
import type { PathsOn } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

interface ManyToOneDefinition {
  readonly kind: 'ManyToOne';
  readonly foreignCollection: string;
  /** Column here. */
  readonly foreignKey: string;
  /** Column there; default: its primary key. */
  readonly foreignKeyTarget?: string | undefined;
}

interface OriginKeyDefinition {
  readonly kind: 'OneToOne' | 'OneToMany';
  readonly foreignCollection: string;
  /** Column there. */
  readonly originKey: string;
  /** Column here; default: the primary key. */
  readonly originKeyTarget?: string | undefined;
}

interface ManyToManyDefinition {
  readonly kind: 'ManyToMany';
  readonly foreignCollection: string;
  readonly throughCollection: string;
  /** Column of the through collection that names the record here. */
  readonly originKey: string;
  /** Column here; default: the primary key. */
  readonly originKeyTarget?: string | undefined;
  /** Column of the through collection that names the record there. */
  readonly foreignKey: string;
  /** Column there; default: its primary key. */
  readonly foreignKeyTarget?: string | undefined;
}

/** A relation as customization code declares it. */
export type RelationDefinition = ManyToOneDefinition | OriginKeyDefinition | ManyToManyDefinition;

/** Related data that no collection holds: shown inside a record, never filtered or written. */
export interface ExternalRelationDefinition {
  /** The fields of one related record, and their types. */
  readonly schema: Readonly<Record<string, PrimitiveType>>;
  /** The fields of the record that are needed to find them. Default: its primary key. */
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

type ExternalSchema = Readonly<Record<string, PrimitiveType>>;

/** One related record: a value of its type, or none, for each field of its schema. */
type ExternalRecord<S extends SchemaShape<S>, T extends ExternalSchema> = string extends keyof S
  ? RecordData
  : { readonly [Name in keyof T]?: ColumnValue<T[Name]> | null };

/** What `addExternalRelation` takes; `P` is what it depends on, `T` the schema of its records. */
export interface ExternalRelationOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends readonly string[],
  T extends ExternalSchema,
> {
  /** The fields of one related record, and their types. */
  readonly schema: T;
  /** What of the record is needed to find them; default: its primary key. */
  readonly dependencies?: PathsOn<S, C, P>;
  /** The related records of one record. Called once for each distinct set of dependencies, a few at a time. */
  listRecords?(
    record: RecordOf<S, C, P[number]>,
    context: ContextOn<S, C>,
  ): readonly ExternalRecord<S, T>[] | Promise<readonly ExternalRecord<S, T>[]>;
  /** The same for many records at once, one list for each, in their order. Preferred over `listRecords`. */
  listRecordsBatch?(
    records: readonly RecordOf<S, C, P[number]>[],
    context: ContextOn<S, C>,
  ): readonly (readonly ExternalRecord<S, T>[])[] | Promise<readonly (readonly ExternalRecord<S, T>[])[]>;
}
