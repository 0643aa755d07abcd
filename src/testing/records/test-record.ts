import type { AnySchema, SchemaShape } from '#runtime/index';

/** A name of a field as a test sees it: `full_name` → `fullName`. */
type CamelCase<Name extends string> = string extends Name
  ? Name
  : Name extends `${infer Head}_${infer Tail}`
    ? Head extends ''
      ? `_${CamelCase<Tail>}`
      : `${Head}${Capitalize<CamelCase<Tail>>}`
    : Name;

/**
 * A record as a test sees it: `id`, the attributes and the to-one relations side by side, names in camel case. A relation is the
 * related record where fields of it were asked for, else `{ type, id }`, and `null` where it leads nowhere. Dates are ISO 8601
 * texts, exact numbers (decimals, large integers) are texts. Without generated typings every value is `unknown`.
 */
export type TestRecord<
  S extends SchemaShape<S> = AnySchema,
  C extends Extract<keyof S, string> = Extract<keyof S, string>,
> = string extends C
  ? Readonly<Record<string, unknown>>
  : { readonly [F in Extract<keyof S[C]['fields'], string> as CamelCase<F>]?: S[C]['fields'][F] } & {
      readonly [R in Exclude<
        Extract<keyof S[C]['relations'], string>,
        keyof S[C]['fields']
      > as S[C]['relations'][R] extends readonly unknown[] ? never : CamelCase<R>]?: Readonly<
        Record<string, unknown>
      > | null;
    } & { readonly [Other in string]?: unknown };
