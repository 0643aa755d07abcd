import { sql } from 'kysely';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { slot } from '../sql/binding.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { exactTextType, scaleOf } from './column-type-of.ts';
import { byBytes, instant } from './sqlite-conditions.ts';
import { sqliteDecoder } from './sqlite-values.ts';

export function sqliteAggregate(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
  reference: Sql | undefined,
): Sql {
  if (!column || !reference) return sql`count(*)`;
  const scale = sql.lit(scaleOf(column.nativeType) ?? 0);
  const isText = column.nativeType === exactTextType;
  switch (operation) {
    case 'Count':
      return sql`count(${reference})`;
    case 'Sum':
      // Whole numbers are added up as such, and refused beyond 64 bits.
      return column.isExact ? sql`exact_sum(${reference}, ${scale})` : sql`sum(cast(${reference} as real))`;
    case 'Avg':
      return column.isExact ? sql`exact_avg(${reference}, ${scale})` : sql`avg(${reference})`;
    case 'Min':
      return sql`${isText ? sql`exact_min` : sql`min`}(${comparable(column, reference)})`;
    case 'Max':
      return sql`${isText ? sql`exact_max` : sql`max`}(${comparable(column, reference)})`;
  }
}

export function sqliteAggregateDecoder(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
): (stored: SqlValue) => unknown {
  if (operation === 'Count' || !column) return Number;
  if (operation === 'Min' || operation === 'Max') return sqliteDecoder(column);
  return column.isExact ? String : Number;
}

export function sqliteBucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql {
  const zone = slot(({ now }) => now().zoneName ?? 'UTC');
  return sql`first_day(${comparable(column, reference)}, ${sql.lit(bucket.toLowerCase())}, ${zone})`;
}

function comparable(column: ColumnSchema, reference: Sql): Sql {
  return column.type === 'Date' ? instant(reference) : byBytes(column, reference);
}
