/** What a type of the schema is to a screen. */
export type FieldType =
  | 'String'
  | 'Number'
  | 'Boolean'
  | 'Date'
  | 'Dateonly'
  | 'Time'
  | 'Enum'
  | 'Json'
  | 'Uuid'
  | 'Point'
  | 'Binary'
  | 'File'
  | 'List'
  | 'Object';

const plain: ReadonlySet<unknown> = new Set<FieldType>([
  'String',
  'Number',
  'Boolean',
  'Date',
  'Dateonly',
  'Time',
  'Enum',
  'Json',
  'Uuid',
  'Point',
  'Binary',
  'File',
]);

/** `Timeonly` is a time; a type that a newer agent adds is shown as a text. */
export function fieldTypeOf(type: unknown): FieldType {
  if (Array.isArray(type)) return 'List';
  if (typeof type === 'object' && type !== null) return 'Object';
  if (type === 'Timeonly') return 'Time';
  return plain.has(type) ? (type as FieldType) : 'String';
}

/** Numbers stand to the right, so that their digits are below each other. */
export function isNumeric(type: unknown): boolean {
  return type === 'Number';
}
