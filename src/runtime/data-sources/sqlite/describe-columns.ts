import type { SqlRow } from '#kernel/ports/sql-row';
import type { ColumnDescription } from '../tables/table-description.ts';
import { checkEnums } from './check-enums.ts';
import { columnTypeOf, type NeutralType } from './column-type-of.ts';
import { viewColumnTypes } from './view-column-types.ts';

/** Describe the columns of one table or view from its rows of `pragma_table_xinfo` and the SQL that created it. */
export function describeColumns(rows: readonly SqlRow[], createSql: string, isView: boolean): ColumnDescription[] {
  const enums = isView ? new Map<string, readonly string[]>() : checkEnums(createSql);
  const viewTypes = isView ? viewColumnTypes(createSql) : [];
  const keySize = rows.filter((row) => row['pk'] !== 0).length;
  const isAutoIncrement = /\bautoincrement\b/i.test(createSql);
  return rows.map((row, index) => {
    const name = String(row['name']);
    const nativeType = String(row['type']);
    const enumValues = enums.get(name.toLowerCase());
    const { type, isExact } = neutralType(nativeType, enumValues, viewTypes[index]);
    // A lone INTEGER PRIMARY KEY is the row number, which SQLite fills in.
    const isRowNumber = keySize === 1 && row['pk'] === 1 && nativeType.toUpperCase() === 'INTEGER';
    const isGenerated = row['hidden'] === 2 || row['hidden'] === 3;
    const defaultSql = row['dflt_value'];
    const defaultValue = typeof defaultSql === 'string' ? literalDefault(defaultSql, type === 'Boolean') : undefined;
    return {
      name,
      nativeType,
      type,
      isExact,
      isNullable: row['notnull'] === 0 && !isRowNumber,
      isGenerated,
      ...(row['hidden'] === 2 ? { isVirtual: true } : {}),
      isAutoIncrement: isRowNumber && isAutoIncrement,
      hasDefault: isRowNumber || isGenerated || (defaultSql !== null && defaultSql !== undefined),
      ...(defaultValue === undefined || defaultValue === null ? {} : { defaultValue }),
      ...(enumValues && type === 'Enum' ? { enumValues } : {}),
    };
  });
}

function neutralType(
  nativeType: string,
  enumValues: readonly string[] | undefined,
  viewType: ColumnDescription['type'] | undefined,
): NeutralType {
  const declared = columnTypeOf(nativeType);
  if (enumValues && declared.type === 'String') return { type: 'Enum', isExact: false };
  if (nativeType === '' && viewType) return { type: viewType, isExact: false };
  return declared;
}

/** The value of a default's SQL text when it is a literal; `undefined` when it is an expression. */
function literalDefault(sql: string, isBoolean: boolean): unknown {
  const text = sql.trim();
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return isBoolean ? Number(text) !== 0 : Number(text);
  if (/^'(?:[^']|'')*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  const word = text.toUpperCase();
  if (word === 'TRUE' || word === 'FALSE') return word === 'TRUE';
  return word === 'NULL' ? null : undefined;
}
