import * as z from 'zod';

/** The file of a project that says what its databases look like, so that code can be checked where none is. */
export const savedSchemaFile = 'schema.json';

const columnTypeSchema: z.ZodType<ColumnType> = z.lazy(() =>
  z.union([z.enum(primitiveTypes), z.tuple([columnTypeSchema]), z.record(z.string(), columnTypeSchema)]),
);

const name = z.string().min(1);

const columnSchema = z.strictObject({
  name,
  /** As the database calls it. */
  nativeType: z.string(),
  type: columnTypeSchema,
  isExact: z.boolean(),
  scale: z.number().int().exactOptional(),
  hasInfinity: z.boolean().exactOptional(),
  isDuration: z.boolean().exactOptional(),
  isNullable: z.boolean(),
  refusesNull: z.boolean().exactOptional(),
  isGenerated: z.boolean(),
  isVirtual: z.boolean().exactOptional(),
  isAutoIncrement: z.boolean(),
  hasDefault: z.boolean(),
  defaultValue: z.unknown().exactOptional(),
  enumValues: z.array(z.string()).exactOptional(),
  instantForm: z.enum(['milliseconds', 'seconds', 'julianDays']).exactOptional(),
  isInstantUnclear: z.boolean().exactOptional(),
  isOpaque: z.boolean().exactOptional(),
  isWriteDenied: z.boolean().exactOptional(),
  writtenBy: z.enum(['edit', 'add']).exactOptional(),
  comment: z.string().exactOptional(),
});

const foreignKeySchema = z.strictObject({
  columns: z.array(name),
  foreignTable: name,
  foreignColumns: z.array(name),
  onDelete: z.enum(['cascade', 'unlink', 'refuse']).exactOptional(),
});

const tableSchema = z.strictObject({
  /** Name of the collection. */
  name,
  table: z.strictObject({ schema: name.exactOptional(), name }).exactOptional(),
  comment: z.string().exactOptional(),
  isView: z.boolean(),
  columns: z.array(columnSchema),
  isWriteDenied: z.boolean().exactOptional(),
  deniedWrites: z.array(z.enum(['add', 'edit', 'delete'])).exactOptional(),
  hidesCreated: z.boolean().exactOptional(),
  hasChildTables: z.boolean().exactOptional(),
  hasLooseKey: z.boolean().exactOptional(),
  hasWriteTriggers: z.boolean().exactOptional(),
  hasDeleteTriggers: z.boolean().exactOptional(),
  hasInsertTriggers: z.boolean().exactOptional(),
  hasNoTransactions: z.boolean().exactOptional(),
  rowAddress: columnSchema.exactOptional(),
  primaryKey: z.array(name),
  foreignKeys: z.array(foreignKeySchema),
  uniqueKeys: z.array(z.array(name)),
});

const savedDataSourceSchema = z.strictObject({
  dialect: z.enum(['sqlite', 'postgres', 'mariadb', 'mysql']),
  /** By name. */
  tables: z.array(tableSchema),
});

/** `schema.json`: the tables of the databases, by the names that the project gives those. */
export const savedSchemaSchema = z.strictObject({
  formatVersion: z.literal(1),
  dataSources: z.record(name, savedDataSourceSchema),
});

export type SavedDataSource = z.infer<typeof savedDataSourceSchema>;
export type SavedTable = z.infer<typeof tableSchema>;
export type SavedSchema = z.infer<typeof savedSchemaSchema>;

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
