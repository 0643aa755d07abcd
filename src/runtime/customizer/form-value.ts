import type { UriFile } from '../query/file-uri.ts';

/** A value, or a function that gives it for the current state of the form; it may be called more than once for one form. */
export type Dynamic<Context, Value> = Value | ((context: Context) => Value | Promise<Value>);

/** A file that came with a form, or that a form begins with. */
export type ActionFile = UriFile;

/** The key of a record, one value for each key column. */
export type RecordKey = readonly (string | number)[];

/** The value of a field of each type. */
export interface FormFieldValues {
  Boolean: boolean;
  Collection: RecordKey;
  Date: string | Date;
  Dateonly: string;
  Enum: string;
  EnumList: readonly string[];
  File: ActionFile;
  FileList: readonly ActionFile[];
  Json: string | number | boolean | object;
  Number: number;
  NumberList: readonly number[];
  String: string;
  StringList: readonly string[];
  Time: string;
}

export type FormFieldType = keyof FormFieldValues;

/** The value of a field that the compiler does not know: compare it, narrow it, or take an item of a list with `?.[0]`. */
type AnyFormValue =
  | ((string | number | boolean | object) & { readonly [Position in 0 | 1 | 2 | 3]?: unknown })
  | null
  | undefined;

/** The values of a form that the compiler does not know, by field id. */
export interface AnyFormValues {
  readonly [id: string]: AnyFormValue;
}
