import type { SqlRow } from '#kernel/ports/sql-row';
import type { CollectionSchema, ColumnSchema, FieldSchema } from '../../query/collection-schema.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { hasOrder, type Operator } from '../../query/operators.ts';
import { relationsFromKeys } from './relations-from-keys.ts';
import { type ColumnDescription, keyOfTable, type TableDescription } from './table-description.ts';

const presence: ReadonlySet<Operator> = new Set(['Present', 'Missing', 'Blank']);

/** Turn the catalogue of a database into collections. `operatorsOf` is what the dialect can filter natively. */
export function collectionsFromTables(
  tables: readonly TableDescription[],
  operatorsOf: (type: ColumnType) => ReadonlySet<Operator>,
): CollectionSchema[] {
  const relations = relationsFromKeys(tables);
  const sharedOperatorsOf = oncePerType(operatorsOf);
  return tables.map((table) => {
    const { columns: primaryKey, isDeclared, rowAddress } = keyOfTable(table);
    const isReadOnly = !isDeclared;
    const fields = new Map<string, FieldSchema>();
    for (const column of rowAddress ? [...table.columns, rowAddress] : table.columns) {
      fields.set(
        column.name,
        columnSchema(
          column,
          primaryKey.includes(column.name),
          isReadOnly || table.isWriteDenied === true,
          table.isView || column.isVirtual === true,
          column.isOpaque ? presence : sharedOperatorsOf(column.type),
        ),
      );
    }
    for (const relation of relations.get(table.name) ?? []) fields.set(relation.name, relation);
    return {
      name: table.name,
      isReadOnly,
      primaryKey,
      fields,
      ...(table.table ? { table: table.table } : {}),
      ...(table.isWriteDenied ? { isWriteDenied: true } : {}),
      ...(table.deniedWrites ? { deniedWrites: table.deniedWrites } : {}),
      ...(table.hidesCreated ? { hidesCreated: true } : {}),
      ...(table.hasChildTables ? { hasChildTables: true } : {}),
      ...(table.uniqueKeys.length > 0 ? { uniqueKeys: table.uniqueKeys } : {}),
      ...(mayLackKey(table, primaryKey) ? { mayLackKey: true } : {}),
      ...(table.hasLooseKey ? { hasLooseKey: true } : {}),
      ...(table.hasWriteTriggers ? { hasWriteTriggers: true } : {}),
      ...(table.hasDeleteTriggers ? { hasDeleteTriggers: true } : {}),
      ...(table.hasInsertTriggers ? { hasInsertTriggers: true } : {}),
      ...(table.hasNoTransactions ? { hasNoTransactions: true } : {}),
      ...(table.comment ? { comment: table.comment } : {}),
    };
  });
}

/** Views promise nothing, and SQLite lets every key but a row number be NULL. */
function mayLackKey({ columns }: TableDescription, primaryKey: readonly string[]): boolean {
  return columns.some(({ name, isNullable }) => isNullable && primaryKey.includes(name));
}

/** There are many columns and few types. */
function oncePerType<Result>(resultOf: (type: ColumnType) => Result): (type: ColumnType) => Result {
  const results = new Map<string, Result>();
  return (type) => {
    const key = typeof type === 'string' ? type : JSON.stringify(type);
    const result = results.get(key) ?? resultOf(type);
    results.set(key, result);
    return result;
  };
}

function columnSchema(
  column: ColumnDescription,
  isPrimaryKey: boolean,
  isReadOnly: boolean,
  isWorkedOut: boolean,
  operators: ReadonlySet<Operator>,
): ColumnSchema {
  const scale = column.isExact ? (column.scale ?? declaredScale(column.nativeType)) : undefined;
  // The database fills in a number outside of the key where a record gives no value.
  const isNumberedKey = column.isAutoIncrement && isPrimaryKey;
  const isComparable = !column.isOpaque && column.type !== 'Binary' && hasOrder(column.type);
  return {
    kind: 'column',
    name: column.name,
    type: column.type,
    nativeType: column.nativeType,
    isPrimaryKey,
    isNullable: column.isNullable && !isPrimaryKey,
    ...(column.refusesNull ? { refusesNull: true } : {}),
    isReadOnly:
      isReadOnly || column.isGenerated || isNumberedKey || column.isOpaque === true || column.isWriteDenied === true,
    ...(column.writtenBy ? { writtenBy: column.writtenBy } : {}),
    isSortable: isComparable,
    isGroupable: isComparable,
    isExact: column.isExact,
    ...(scale === undefined ? {} : { scale }),
    ...(column.instantForm ? { instantForm: column.instantForm } : {}),
    ...(column.isInstantUnclear ? { isInstantUnclear: true } : {}),
    ...(column.hasInfinity ? { hasInfinity: true } : {}),
    ...(column.isDuration ? { isDuration: true } : {}),
    operators,
    hasDefault: column.hasDefault,
    ...(isWorkedOut ? { isWorkedOut } : {}),
    ...(column.isGenerated ? { isGenerated: true } : {}),
    ...(column.enumValues ? { enumValues: column.enumValues } : {}),
    ...(column.defaultValue === undefined ? {} : { defaultValue: column.defaultValue }),
  };
}

/** Digits after the point that a declared type holds values to: `numeric(12,2)` 2, `bigint` 0, a bare `numeric` any. */
function declaredScale(nativeType: string): number | undefined {
  const scale = /\(\s*\d+\s*,\s*(\d+)\s*\)/.exec(nativeType)?.[1];
  if (scale !== undefined) return Number(scale);
  return /int|^\s*(?:decimal|numeric)\s*\(\s*\d+\s*\)/i.test(nativeType) ? 0 : undefined;
}

/**
 * The collections of tables, rows with `schema` and `name`. A table of the first schema is named by its name only, one of a
 * further schema `schema.table`. This holds whether or not names collide, so that adding a table renames no other.
 */
export function collectionNames(tables: readonly SqlRow[], schemas: readonly string[]): ReadonlyMap<SqlRow, string> {
  const taken = new Set<string>();
  const names = new Map<SqlRow, string>();
  const placeOf = (row: SqlRow) => schemas.indexOf(String(row['schema']));
  for (const row of tables.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const wanted = row['schema'] === schemas[0] ? String(row['name']) : `${row['schema']}.${row['name']}`;
    let name = wanted;
    // A table may be called like another one with its schema.
    for (let number = 2; taken.has(name); number++) name = `${wanted}_${number}`;
    taken.add(name);
    names.set(row, name);
  }
  return names;
}
