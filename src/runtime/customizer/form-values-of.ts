import type { AnyFormValues, FormFieldType, FormFieldValues } from './form-value.ts';

/**
 * The values of the form `F`, by field id, as `execute` reads them. Where the labels of the form are literals, each has the
 * type of its field; any other form gives values of any type. A field that is hidden or empty has none.
 */
export type FormValuesOf<F> = F extends readonly (infer Element)[]
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
