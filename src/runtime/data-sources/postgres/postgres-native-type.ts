import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { PrimitiveType } from '../../query/column-type.ts';

/** Types that are compared, bound and read in the same way. */
export type TypeFamily =
  | 'binary'
  | 'boolean'
  | 'citext'
  | 'date'
  | 'double'
  | 'enum'
  | 'integer'
  | 'json'
  | 'money'
  | 'numeric'
  | 'opaque'
  | 'padded-text'
  | 'point'
  | 'real'
  | 'text'
  | 'tid'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'timetz'
  | 'uuid'
  | 'worded';

export interface NativeType {
  readonly family: TypeFamily;
  readonly type: PrimitiveType;
  readonly isExact: boolean;
}

function inexact(family: TypeFamily, type: PrimitiveType): NativeType {
  return { family, type, isExact: false };
}

const text = inexact('text', 'String');
/** Types that PostgreSQL has no text operators for, but whose written form is plain: they are filtered as that text. */
const worded = inexact('worded', 'String');

const byName: Readonly<Record<string, NativeType>> = {
  smallint: inexact('integer', 'Number'),
  integer: inexact('integer', 'Number'),
  oid: inexact('integer', 'Number'),
  bigint: { family: 'integer', type: 'Number', isExact: true },
  numeric: { family: 'numeric', type: 'Number', isExact: true },
  money: { family: 'money', type: 'Number', isExact: true },
  real: inexact('real', 'Number'),
  'double precision': inexact('double', 'Number'),
  boolean: inexact('boolean', 'Boolean'),
  text,
  'character varying': text,
  character: inexact('padded-text', 'String'),
  '"char"': worded,
  name: worded,
  citext: inexact('citext', 'String'),
  uuid: inexact('uuid', 'Uuid'),
  date: inexact('date', 'Dateonly'),
  'time without time zone': inexact('time', 'Time'),
  'time with time zone': inexact('timetz', 'Time'),
  'timestamp without time zone': inexact('timestamp', 'Date'),
  'timestamp with time zone': inexact('timestamptz', 'Date'),
  json: inexact('json', 'Json'),
  jsonb: inexact('json', 'Json'),
  bytea: inexact('binary', 'Binary'),
  point: inexact('point', 'Point'),
  tid: inexact('tid', 'String'),
  bit: worded,
  'bit varying': worded,
  inet: worded,
  cidr: worded,
  macaddr: worded,
  macaddr8: worded,
  interval: worded,
};

const opaque: NativeType = inexact('opaque', 'String');

/** The kind of a type, by the name that `format_type` gives it. Unknown types are opaque: shown, never changed. */
export function nativeTypeOf(name: string): NativeType {
  const bare = name.replace(/\(.*?\)/, '');
  // `citext` comes from an extension, in whatever schema that was put.
  return byName[bare] ?? (/^(?:"(?:[^"]|"")+"|\w+)\.citext$/.test(bare) ? citext : opaque);
}

const citext = inexact('citext', 'String');

/** The family of a column, or of the items of a list column. */
export function familyOf(column: ColumnSchema): TypeFamily {
  const type = typeof column.type === 'string' ? column.type : 'list';
  return type === 'Enum' ? 'enum' : nativeTypeOf(column.nativeType).family;
}

/** A list column as the column of one of its items. */
export function itemColumn(column: ColumnSchema): ColumnSchema {
  const [type] = column.type as readonly [ColumnSchema['type']];
  return { ...column, type, nativeType: column.nativeType.replace(/(?:\[\])+$/, '') };
}

/** The type that a value is cast to before it is compared with a column of the family. */
export function comparedType(column: ColumnSchema): string {
  const family = familyOf(column);
  switch (family) {
    case 'enum':
    case 'citext':
      // The name as `format_type` writes it: qualified, and quoted where necessary.
      return column.nativeType;
    default:
      return castTypes[family];
  }
}

const castTypes: Readonly<Record<Exclude<TypeFamily, 'citext' | 'enum'>, string>> = {
  binary: 'bytea',
  boolean: 'boolean',
  date: 'date',
  double: 'double precision',
  // Indexes on narrower integers serve comparisons with wider ones.
  integer: 'bigint',
  json: 'jsonb',
  money: 'numeric',
  numeric: 'numeric',
  opaque: 'text',
  'padded-text': 'text',
  point: 'point',
  real: 'double precision',
  text: 'text',
  tid: 'tid',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  timetz: 'timetz',
  uuid: 'uuid',
  worded: 'text',
};
