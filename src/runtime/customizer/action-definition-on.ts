import type { ActionContextOf, ActionScope, ScopedActionDefinition } from './action-definition.ts';
import type { TypedContext } from './context-on.ts';
import type { AnyFormValues } from './form-value.ts';
import type { FormValuesOf } from './form-values-of.ts';
import type { RecordOf } from './record-types.ts';
import type { PathOn, PathsOn, ValueAt } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

type Replaced = 'getRecords' | 'getRecord' | 'getField' | 'collection' | 'dataSource' | 'inTransaction' | 'formValues';

/** The context of a Global action that knows its schema. */
export interface GlobalContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Global'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
}

/** The context of a Bulk action that knows the fields of its collection. */
export interface BulkContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Bulk'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
  getRecords<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>[]>;
}

/** The context of a Single action that knows the fields of its collection. */
export interface SingleContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values = AnyFormValues>
  extends Omit<ActionContextOf<'Single'>, Replaced>,
    TypedContext<S, C> {
  readonly formValues: Values;
  getRecords<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>[]>;
  getRecord<const P extends readonly string[]>(fields: PathsOn<S, C, P>): Promise<RecordOf<S, C, P[number]>>;
  getField<const P extends string>(field: PathOn<S, C, P>): Promise<ValueAt<S, C, P>>;
}

interface ContextsOn<S extends SchemaShape<S>, C extends CollectionName<S>, Values> {
  Single: SingleContextOn<S, C, Values>;
  Bulk: BulkContextOn<S, C, Values>;
  Global: GlobalContextOn<S, C, Values>;
}

/** What `addAction` takes. The scope decides which context the functions get, the form which values `execute` reads. */
export type ActionDefinitionOn<S extends SchemaShape<S>, C extends CollectionName<S>, Form> = {
  [Scope in ActionScope]: ScopedActionDefinition<
    Scope,
    ContextsOn<S, C, AnyFormValues>[Scope],
    Form,
    ContextsOn<S, C, FormValuesOf<Form>>[Scope]
  >;
}[ActionScope];
