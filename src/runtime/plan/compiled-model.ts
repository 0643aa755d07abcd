import type { AnyActionDefinition } from '../customizer/action-definition.ts';
import type { AgentChart, CollectionChart } from '../customizer/chart-definition.ts';
import type { SegmentDefinition } from '../customizer/collection-customizer.ts';
import type { CollectionSchema, ColumnSchema, RelationSchema } from '../data-sources/collection-schema.ts';
import type { DataSource } from '../data-sources/data-source.ts';
import type { RecordData } from '../query/record-query.ts';

/** A field whose values come from a JavaScript handler, one call a query. */
export interface ComputedField {
  readonly kind: 'computed';
  readonly name: string;
  /** How it looks to a client: read-only, not sortable, no operators. */
  readonly column: ColumnSchema;
  /** What the handler reads: columns and computed fields, also behind to-one relations. Never in a cycle. */
  readonly dependencies: readonly string[];
  getValues(records: readonly RecordData[]): readonly unknown[] | Promise<readonly unknown[]>;
}

export type CompiledField = ColumnSchema | RelationSchema | ComputedField;

export interface CompiledAction {
  readonly name: string;
  /** Position in declaration order; part of the action's address. */
  readonly index: number;
  readonly slug: string;
  readonly definition: AnyActionDefinition;
}

/** A collection after customization. Immutable. */
export interface CompiledCollection {
  readonly name: string;
  readonly dataSource: DataSource;
  readonly native: CollectionSchema;
  readonly isReadOnly: boolean;
  readonly isSearchable: boolean;
  readonly primaryKey: readonly string[];
  readonly fields: ReadonlyMap<string, CompiledField>;
  readonly segments: ReadonlyMap<string, SegmentDefinition>;
  /** By `<index>/<slug>`. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
  readonly charts: ReadonlyMap<string, CollectionChart>;
}

/** What the declarations of an agent come to: validated, immutable, ready to plan queries on. */
export interface CompiledModel {
  readonly collections: ReadonlyMap<string, CompiledCollection>;
  /** Those of the agent, which belong to no collection. */
  readonly charts: ReadonlyMap<string, AgentChart>;
}
