import type { DataSource, RecordStore } from '#runtime/data-sources/interface/data-source';
import { newDocument } from '#runtime/data-sources/mongo/document-patches';
import type { DocumentSource } from '#runtime/data-sources/mongo/document-source';
import type { MongoDescription } from '#runtime/data-sources/mongo/mongo-data-source';
import { collectionsFromTables } from '#runtime/data-sources/tables/collections-from-tables';
import type { ColumnDescription, TableDescription } from '#runtime/data-sources/tables/table-description';
import type { ColumnType } from '#runtime/query/collection-schema';
import type { RecordData } from '#runtime/query/record-query';
import type { MingoCollection } from '../../helpers/mingo/mingo-database.ts';
import type { NeutralColumn, NeutralTable, NeutralType } from '../data-source/tables.ts';

const types: Readonly<Record<Extract<NeutralType, string>, readonly [type: ColumnType, nativeType: string]>> = {
  binary: ['Binary', 'binData'],
  bigint: ['Number', 'long'],
  boolean: ['Boolean', 'bool'],
  day: ['String', 'string'],
  float: ['Number', 'double'],
  instant: ['Date', 'date'],
  integer: ['Number', 'int'],
  json: ['Json', 'object'],
  text: ['String', 'string'],
  time: ['String', 'string'],
  uuid: ['Uuid', 'uuid'],
};

/** Collections with the documents and the rules of tables. */
export function collectionsOf(
  tables: readonly NeutralTable[],
  description: MongoDescription,
): Readonly<Record<string, MingoCollection>> {
  const schemas = collectionsFromTables(description.tables, () => new Set());
  return Object.fromEntries(
    tables.map((table): readonly [string, MingoCollection] => {
      const schema = schemas.find(({ name }) => name === table.name);
      const source = description.sources.get(table.name);
      if (!schema || !source) throw new Error(`There is no ${table.name}.`);
      const pathOf = (column: string) => source.paths.get(column) ?? '';
      const required = table.columns.filter(({ isRequired }) => isRequired).map(({ name }) => pathOf(name));
      return [
        table.name,
        {
          documents: table.rows.map((row) => newDocument({ schema, source }, { ...defaultsOf(table), ...row })),
          uniqueKeys: (table.uniqueKeys ?? []).map((key) => key.map(pathOf)),
          jsonSchema:
            required.length === 0
              ? {}
              : { required, properties: Object.fromEntries(required.map((path) => [path, { bsonType: 'string' }])) },
        },
      ];
    }),
  );
}

/** MongoDB numbers no records and has no defaults: an application gives both. */
export function withNumbering(source: DataSource, tables: readonly NeutralTable[]): DataSource {
  const numbering = createNumbering(tables);
  return {
    ...source,
    ...numbering(source),
    transaction: (work, context) => source.transaction((store) => work({ ...store, ...numbering(store) }), context),
  };
}

function createNumbering(tables: readonly NeutralTable[]): (store: RecordStore) => Pick<RecordStore, 'create'> {
  const numbered = new Map(tables.map((table) => [table.name, { table, last: lastNumber(table) }]));
  return (store) => ({
    create: (collection, records, context) => {
      const known = numbered.get(collection);
      if (!known) return store.create(collection, records, context);
      const key = known.table.columns.find(({ isAuto }) => isAuto)?.name;
      const complete = records.map((record): RecordData => {
        known.last += 1;
        return { ...defaultsOf(known.table), ...(key === undefined ? {} : { [key]: known.last }), ...record };
      });
      return store.create(collection, complete, context);
    },
  });
}

function lastNumber({ columns, rows }: NeutralTable): number {
  const key = columns.find(({ isAuto }) => isAuto)?.name ?? '';
  return Math.max(0, ...rows.map((row) => Number(row[key] ?? 0)));
}

function defaultsOf({ columns }: NeutralTable): RecordData {
  return Object.fromEntries(
    columns.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])),
  );
}

export function describeTables(tables: readonly NeutralTable[]): MongoDescription {
  return {
    tables: tables.map(tableDescription),
    sources: new Map(tables.map((table) => [table.name, sourceOf(table)])),
    readOnly: new Set(),
    warnings: [],
  };
}

function tableDescription(table: NeutralTable): TableDescription {
  return {
    name: table.name,
    isView: false,
    columns: table.columns.map(columnDescription),
    primaryKey: table.primaryKey,
    foreignKeys: (table.foreignKeys ?? []).map((key) => ({
      columns: key.columns,
      foreignTable: key.table,
      foreignColumns: key.foreignColumns,
    })),
    uniqueKeys: table.uniqueKeys ?? [],
  };
}

/** The key is `_id`, or an object in it where it has several columns. */
function sourceOf({ name, columns, primaryKey }: NeutralTable): DocumentSource {
  const [only] = primaryKey;
  const paths = columns.map((column, index): readonly [string, string] => {
    if (primaryKey.length === 1 && column.name === only) return [column.name, '_id'];
    // Names of columns may be anything, those of fields not.
    const field = /^[a-z]\w*$/i.test(column.name) ? column.name : `field${index}`;
    return [column.name, primaryKey.includes(column.name) ? `_id.${field}` : field];
  });
  return { collection: name, prefix: [], paths: new Map(paths) };
}

function columnDescription(column: NeutralColumn): ColumnDescription {
  const [type, nativeType] = typeOf(column.type);
  return {
    name: column.name,
    type,
    nativeType,
    isExact: column.type === 'bigint' || (typeof column.type === 'object' && 'decimal' in column.type),
    ...(column.type === 'bigint' ? { scale: 0 } : {}),
    ...(typeof column.type === 'object' && 'decimal' in column.type ? { scale: column.type.decimal[1] } : {}),
    isNullable: column.isRequired !== true,
    isGenerated: false,
    isAutoIncrement: false,
    hasDefault: false,
    ...(typeof column.type === 'object' && 'enum' in column.type ? { enumValues: column.type.enum } : {}),
  };
}

function typeOf(type: NeutralType): readonly [ColumnType, string] {
  if (typeof type === 'string') return types[type];
  return 'decimal' in type ? ['Number', 'decimal'] : ['Enum', 'string'];
}
