import type { ActionContextOf, ActionScope, ScopedActionDefinition } from './action-definition.ts';
import type { TypedContext } from './context-on.ts';
import type { AnyFormValues, FormFieldType, FormFieldValues } from './form-value.ts';
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

/**
 * The values of the form `F`, by field id, as `execute` reads them. Where the labels of the form are literals, each has the
 * type of its field; any other form gives values of any type. A field that is hidden or empty has none.
 */
type FormValuesOf<F> = F extends readonly (infer Element)[]
  ? string extends FieldId<FieldsIn<Element>>
    ? AnyFormValues
    : { readonly [Field in FieldsIn<Element> as FieldId<Field>]?: ValueOf<Field> | null }
  : AnyFormValues;

/** The fields among elements, those inside rows and pages too. */
type FieldsIn<Element> = Element extends { readonly type: 'Layout' }
  ? Element extends { readonly elements: readonly (infer Inner)[] } | { readonly fields: readonly (infer Inner)[] }
    ? FieldsIn<Inner>
    : never
  : Element;

type FieldId<Field> = Field extends { readonly id: infer Id extends string }
  ? Id
  : Field extends { readonly label: infer Label extends string }
    ? Label
    : string;

type ValueOf<Field> = Field extends { readonly type: infer Type extends FormFieldType }
  ? FormFieldValues[Type]
  : unknown;
