import type { SchemaFieldType } from '#contracts/schema-document';
import type { ColumnType } from '../query/column-type.ts';
import { isListType } from '../query/operators.ts';

/** A column type as the schema document writes it. Bytes travel as text. */
export function schemaFieldType(type: ColumnType): SchemaFieldType {
  if (typeof type === 'string') return type === 'Binary' ? 'String' : type;
  if (isListType(type)) return [schemaFieldType(type[0])];
  return { fields: Object.entries(type).map(([field, inner]) => ({ field, type: schemaFieldType(inner) })) };
}
