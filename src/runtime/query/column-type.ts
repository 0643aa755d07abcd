export type PrimitiveType =
  | 'Binary'
  | 'Boolean'
  | 'Date'
  | 'Dateonly'
  | 'Enum'
  | 'Json'
  | 'Number'
  | 'Point'
  | 'String'
  | 'Time'
  | 'Uuid';

/** A primitive, a list of one type, or an object of named types. */
export type ColumnType = PrimitiveType | readonly [ColumnType] | { readonly [name: string]: ColumnType };
