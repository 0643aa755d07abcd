import type { ColumnType } from '../../query/column-type.ts';
import { isListType, type Operator, operatorNames, operatorsOfType } from '../../query/operators.ts';
import type { ForeignKeyDescription, TableDescription } from '../tables/table-description.ts';

/** A column of a collection in memory. */
export interface MemoryColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Default true, except for the primary key. */
  readonly isNullable?: boolean;
  /** A Number kept as a text of its digits. */
  readonly isExact?: boolean;
  /** Digits after the point of an exact number; without it as many as were given. */
  readonly scale?: number;
  /** Numbered from 1 when a created record leaves it out. */
  readonly isAutoIncrement?: boolean;
  readonly defaultValue?: unknown;
  readonly enumValues?: readonly string[];
}

/** The columns and keys of a collection in memory. */
export interface MemorySchema {
  readonly columns: readonly MemoryColumn[];
  /** Empty when there is no key: the collection can be read only. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys?: readonly ForeignKeyDescription[];
  readonly uniqueKeys?: readonly (readonly string[])[];
}

/** A collection of a data source in memory. */
export interface MemoryCollection {
  readonly name: string;
  readonly schema: MemorySchema;
  /** Values by column. */
  readonly records: readonly object[];
}

/** The collection as the catalogue of a database would describe it. */
export function tableOfMemory({ name, schema }: MemoryCollection): TableDescription {
  return {
    name,
    isView: false,
    columns: schema.columns.map((column) => ({
      name: column.name,
      nativeType: typeof column.type === 'string' ? column.type : JSON.stringify(column.type),
      type: column.type,
      isExact: column.isExact ?? false,
      ...(column.scale === undefined ? {} : { scale: column.scale }),
      isNullable: column.isNullable ?? !schema.primaryKey.includes(column.name),
      isGenerated: false,
      isAutoIncrement: column.isAutoIncrement ?? false,
      hasDefault: column.isAutoIncrement === true || column.defaultValue !== undefined,
      ...(column.defaultValue === undefined ? {} : { defaultValue: column.defaultValue }),
      ...(column.enumValues ? { enumValues: column.enumValues } : {}),
    })),
    primaryKey: schema.primaryKey,
    foreignKeys: schema.foreignKeys ?? [],
    uniqueKeys: schema.uniqueKeys ?? [],
  };
}

const equality = ['Equal', 'NotEqual', 'In', 'NotIn'] as const satisfies readonly Operator[];
const order = [
  'LessThan',
  'GreaterThan',
  'LessThanOrEqual',
  'GreaterThanOrEqual',
] as const satisfies readonly Operator[];
const ordered: readonly ColumnType[] = ['Date', 'Dateonly', 'Number', 'String', 'Time'];
const inclusion: ReadonlySet<Operator> = new Set([
  ...operatorsOfType('Point'),
  ...operatorNames.filter((operator) => operator.startsWith('Includes')),
]);

/** Everything that means something for the type. */
export function memoryOperatorsOf(type: ColumnType): ReadonlySet<Operator> {
  if (isListType(type)) return inclusion;
  const operators = new Set([...operatorsOfType(type), ...equality]);
  for (const operator of ordered.includes(type) ? order : []) operators.add(operator);
  if (type === 'String') operators.add('Match');
  return operators;
}
