import type { SqlRow } from '#kernel/ports/sql-row';
import type { ColumnDescription } from '../tables/table-description.ts';
import { nativeTypeOf } from './native-type.ts';
import { literalDefault } from './postgres-default.ts';

/** Describe a column from its row of `columnsQuery`. */
export function describePostgresColumn(row: SqlRow): ColumnDescription {
  const nativeType = String(row['nativeType']);
  const isList = row['isList'] === 't';
  const enumValues = readEnumValues(row);
  const { type, isExact, family } = enumValues
    ? { type: 'Enum' as const, isExact: false, family: 'enum' as const }
    : nativeTypeOf(isList ? nativeType.slice(0, -2) : nativeType);
  const isGenerated = row['isGenerated'] === 't';
  const defaultSql = typeof row['defaultSql'] === 'string' ? row['defaultSql'] : undefined;
  // Numbers drawn from a sequence, which is how `serial` does it.
  const isAutoIncrement = row['isIdentity'] === 't' || (defaultSql?.startsWith('nextval(') ?? false);
  const defaultValue =
    defaultSql === undefined || isGenerated || isList ? undefined : literalDefault(defaultSql, type, isExact);
  return {
    name: String(row['name']),
    nativeType,
    type: isList ? [type] : type,
    isExact,
    isNullable: row['isNotNull'] !== 't',
    isGenerated,
    isAutoIncrement,
    hasDefault: isGenerated || isAutoIncrement || defaultSql !== undefined,
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(enumValues ? { enumValues } : {}),
    ...(family === 'opaque' ? { isOpaque: true } : {}),
    ...(typeof row['comment'] === 'string' ? { comment: row['comment'] } : {}),
  };
}

function readEnumValues(row: SqlRow): readonly string[] | undefined {
  const json = row['enumValues'];
  return typeof json === 'string' ? JSON.parse(json) : undefined;
}
