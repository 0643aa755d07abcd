import type { ColumnType, DeclaredType, PrimitiveType } from '../query/column-type.ts';
import type { Operator, operatorArguments } from '../query/operators.ts';
import type { Begun, Unfinished } from './schema-path.ts';

type Presence = 'Present' | 'Blank' | 'Missing';
type Inclusion = 'IncludesAll' | 'IncludesNone';
type Equality = Presence | 'Equal' | 'NotEqual' | 'In' | 'NotIn';
type Order = 'LessThan' | 'GreaterThan' | 'LessThanOrEqual' | 'GreaterThanOrEqual';
type Text =
  | `${'' | 'Not' | 'I' | 'NotI'}Contains`
  | `${'' | 'I'}${'StartsWith' | 'EndsWith' | 'Like'}`
  | 'LongerThan'
  | 'ShorterThan'
  | 'Match';
type Hours = 'BeforeXHoursAgo' | 'AfterXHoursAgo';
type Day =
  | 'Today'
  | 'Yesterday'
  | 'Past'
  | 'Future'
  | `Previous${'Week' | 'Month' | 'Quarter' | 'Year'}${'' | 'ToDate'}`
  | `PreviousXDays${'' | 'ToDate'}`
  | 'Before'
  | 'After';

/**
 * The operators that mean something for a column type, whatever data source it is in.
 *
 * @public A test of types imports it by its name.
 */
export interface OperatorsOfKind extends Record<PrimitiveType, Operator> {
  Binary: Equality | Inclusion;
  Boolean: Equality | Inclusion;
  Date: Equality | Order | Day | Hours;
  Dateonly: Equality | Order | Day;
  Enum: Equality | Inclusion;
  Json: Equality | Inclusion;
  Number: Equality | Inclusion | Order;
  Point: Equality;
  String: Equality | Inclusion | Order | Text;
  Time: Equality | Order;
  Uuid: Equality | Inclusion;
}

interface PrimitiveValues extends Record<PrimitiveType, unknown> {
  Binary: Uint8Array;
  Boolean: boolean;
  Date: string | Date;
  Dateonly: string;
  Enum: string;
  Number: number | string;
  Point: string;
  String: string;
  Time: string;
  Uuid: string;
}

/** The JavaScript value of a column type. */
export type ColumnValue<T extends ColumnType> = T extends PrimitiveType
  ? PrimitiveValues[T]
  : T extends readonly [infer Item extends ColumnType]
    ? readonly ColumnValue<Item>[]
    : { readonly [Name in keyof T]: T[Name] extends ColumnType ? ColumnValue<T[Name]> | null : never };

/** The JavaScript value of a type as code declares it. */
export type DeclaredValue<T extends DeclaredType> = T extends 'File'
  ? Uint8Array
  : T extends 'Timeonly'
    ? string
    : T extends ColumnType
      ? ColumnValue<T>
      : never;

/** The column type of a text. Generated typings say it by a property that is never there; the values of an Enum are listed. */
type TextKind<V> = '~column' extends keyof V ? Exclude<V['~column'], undefined> : string extends V ? 'String' : 'Enum';

/** The column type of a value that is not null; `'List'` and `'Object'` for those. */
type KindOf<V> = [V] extends [number | bigint]
  ? 'Number'
  : [V] extends [boolean]
    ? 'Boolean'
    : [V] extends [string]
      ? TextKind<V>
      : [V] extends [Uint8Array]
        ? 'Binary'
        : [V] extends [readonly unknown[]]
          ? 'List'
          : 'Object';

/** Names of the fields whose values can be keys to values `V`: those of the same column type. */
export type KeyTo<Fields, V> = Extract<
  {
    [Name in keyof Fields]: unknown extends V
      ? Name
      : unknown extends Fields[Name]
        ? Name
        : [KindOf<Present<Fields[Name]>>] extends [KindOf<Present<V>>]
          ? Name
          : never;
  }[keyof Fields],
  string
>;

type OperatorsOf<V> = unknown extends V
  ? Operator
  : KindOf<V> extends infer Kind
    ? Kind extends keyof OperatorsOfKind
      ? OperatorsOfKind[Kind]
      : Kind extends 'List'
        ? Presence | Inclusion | 'Equal' | 'NotEqual'
        : Presence
    : never;

/** `O` where a field whose value is `V` can be filtered by it; else a sentence that says it cannot. */
export type OperatorOn<F extends string, V, O> = string extends F
  ? Operator
  : O extends OperatorsOf<Present<V>>
    ? O
    : NoInfer<OperatorProblem<F, V, O>>;

type OperatorProblem<F extends string, V, O> = O extends Operator
  ? `operator '${O}' is not available on '${F}'`
  : Unfinished<Begun<OperatorsOf<Present<V>>, O & string>, `'${O & string}' is not an operator`>;

type Present<V> = unknown extends V ? V : Exclude<V, null | undefined>;

type Arguments = typeof operatorArguments;

/** The type that a condition compares a field of type `V` with. */
export type ArgumentOf<V, O> = O extends keyof Arguments
  ? {
      none: null | undefined;
      value: O extends 'Match' ? RegExp | string : InputOf<V> | null;
      list: readonly (InputOf<ItemOf<V>> | null)[];
      number: number;
    }[Arguments[O]]
  : unknown;

type ItemOf<V> = unknown extends V ? V : Present<V> extends readonly (infer Item)[] ? Item : Present<V>;

/** The values to write to a field of type `V` or to compare it with: dates as `Date` too, exact numbers in either form. */
export type InputOf<V> = unknown extends V ? V : V | WiderInput<Extract<V, string>>;

type WiderInput<V extends string> = [V] extends [never]
  ? never
  : TextKind<V> extends infer Kind
    ? Kind extends 'Date'
      ? Date
      : Kind extends 'Number'
        ? number | bigint
        : never
    : never;
