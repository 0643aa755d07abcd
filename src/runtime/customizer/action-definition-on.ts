import type { ActionContextOf, ActionScope, ScopedActionDefinition } from './action-definition.ts';
import type { CollectionName, FieldPath, RecordOf, SchemaShape } from './schema-types.ts';

interface TypedRecords<S extends SchemaShape<S>, C extends CollectionName<S>> {
  getRecords<P extends FieldPath<S, C>>(fields: readonly P[]): Promise<RecordOf<S, C, P>[]>;
}

interface TypedRecord<S extends SchemaShape<S>, C extends CollectionName<S>> {
  getRecord<P extends FieldPath<S, C>>(fields: readonly P[]): Promise<RecordOf<S, C, P>>;
  getField<P extends FieldPath<S, C>>(field: P): Promise<FieldOf<RecordOf<S, C, P>, P>>;
}

/** The type of a field; behind a relation it is whatever the record holds there. */
type FieldOf<Row, P extends string> = P extends keyof Row ? Row[P] : unknown;

interface TypedMembers<S extends SchemaShape<S>, C extends CollectionName<S>> {
  Single: TypedRecords<S, C> & TypedRecord<S, C>;
  Bulk: TypedRecords<S, C>;
  Global: unknown;
}

/** The context of a scope that knows the fields of its collection. */
export type ActionContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Scope extends ActionScope> = Omit<
  ActionContextOf<Scope>,
  'getRecords' | 'getRecord' | 'getField'
> &
  TypedMembers<S, C>[Scope];

/** What `addAction` takes. The scope decides which context the functions get. */
export type ActionDefinitionOn<S extends SchemaShape<S>, C extends CollectionName<S>> = {
  [Scope in ActionScope]: ScopedActionDefinition<Scope, ActionContextOn<S, C, Scope>>;
}[ActionScope];
