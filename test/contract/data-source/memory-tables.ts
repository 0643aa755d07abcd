import type { MemoryCollection, MemoryColumn } from '#runtime/data-sources/memory/memory-schema';
import type { ColumnType } from '#runtime/query/collection-schema';
import type { NeutralColumn, NeutralTable, NeutralType } from './tables.ts';

const types: Readonly<Record<Extract<NeutralType, string>, ColumnType>> = {
  binary: 'Binary',
  bigint: 'Number',
  boolean: 'Boolean',
  day: 'Dateonly',
  float: 'Number',
  instant: 'Date',
  integer: 'Number',
  json: 'Json',
  text: 'String',
  time: 'Time',
  uuid: 'Uuid',
};

/** The tables as collections of the in-memory data source. */
export function memoryCollections(tables: readonly NeutralTable[]): MemoryCollection[] {
  return tables.map((table) => ({
    name: table.name,
    records: table.rows,
    schema: {
      columns: table.columns.map(memoryColumn),
      primaryKey: table.primaryKey,
      uniqueKeys: table.uniqueKeys ?? [],
      foreignKeys: (table.foreignKeys ?? []).map((key) => ({
        columns: key.columns,
        foreignTable: key.table,
        foreignColumns: key.foreignColumns,
      })),
    },
  }));
}

function memoryColumn(column: NeutralColumn): MemoryColumn {
  return {
    name: column.name,
    ...typeOf(column.type),
    ...(column.isRequired ? { isNullable: false } : {}),
    ...(column.isAuto ? { isAutoIncrement: true } : {}),
    ...(column.default === undefined ? {} : { defaultValue: column.default }),
  };
}

function typeOf(type: NeutralType): Pick<MemoryColumn, 'type' | 'isExact' | 'scale' | 'enumValues'> {
  if (type === 'bigint') return { type: 'Number', isExact: true, scale: 0 };
  if (typeof type === 'string') return { type: types[type] };
  if ('decimal' in type) return { type: 'Number', isExact: true, scale: type.decimal[1] };
  return { type: 'Enum', enumValues: type.enum };
}
