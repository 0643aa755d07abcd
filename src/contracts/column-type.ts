/** The types that are neither lists nor objects. */
export const primitiveTypes = [
  'Binary',
  'Boolean',
  'Date',
  'Dateonly',
  'Enum',
  'Json',
  'Number',
  'Point',
  'String',
  'Time',
  'Uuid',
] as const;

/** The type of a single value. */
export type PrimitiveType = (typeof primitiveTypes)[number];

/** A primitive, a list of one type, or an object of named types. */
export type ColumnType = PrimitiveType | readonly [ColumnType] | { readonly [name: string]: ColumnType };
