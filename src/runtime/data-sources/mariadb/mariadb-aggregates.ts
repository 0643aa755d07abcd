import { sql } from 'kysely';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { type BindContext, slot } from '../sql/statement-parameters.ts';
import { type ZoneOffsets, zoneOffsets } from '../sql/zone-offsets.ts';
import { bytes, comparableColumn, isTextual } from './mariadb-column-expressions.ts';
import { digitsOf, fractionDigitsOf } from './mariadb-native-type.ts';
import { mariadbDecoder, withoutTrailingZeros } from './mariadb-values.ts';
import { withoutZero } from './mariadb-zero-dates.ts';

/** Digits that an average has beyond those of its column. */
const averageDigits = 6;
const maxScale = 30;

export function mariadbAggregate(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
  reference: Sql | undefined,
): Sql {
  if (!column || !reference) return sql`count(*)`;
  if (operation === 'Count') return sql`count(${withoutZero(column, reference)})`;
  const value = withoutZero(column, comparableColumn(column, reference));
  if (operation === 'Min') return sql`min(${value})`;
  if (operation === 'Max') return sql`max(${value})`;
  if (operation === 'Sum') return sql`sum(${value})`;
  if (!column.isExact) return sql`(sum(${value}) + 0e0) / count(${value})`;
  // Divided to more digits than are kept: the server cuts the last ones off.
  const scale = Math.min(maxScale, scaleOf(column) + averageDigits);
  const dividend = sql`cast(sum(${value}) as decimal(65, ${sql.lit(Math.min(maxScale, scale + averageDigits))}))`;
  return sql`round(${dividend} / count(${value}), ${sql.lit(scale)})`;
}

export function mariadbAggregateDecoder(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
): (stored: SqlValue) => unknown {
  if (!column || operation === 'Count') return Number;
  if (operation === 'Min' || operation === 'Max') return mariadbDecoder(column);
  if (!column.isExact) return Number;
  const scale = scaleOf(column);
  if (operation === 'Sum' && scale === digitsOf(column).scale) return String;
  return (stored) => withoutTrailingZeros(String(stored), scale);
}

/** The key that groups values of a column: instants to the millisecond, as records show them, and texts byte by byte. */
export function mariadbGroupKey(column: ColumnSchema, reference: Sql): Sql {
  const isFine = fractionDigitsOf(column) > 3 && !column.isPrimaryKey;
  if (column.type === 'Date' && isFine) return sql`left(cast(${withoutZero(column, reference)} as char), 23)`;
  // Bytes even under an exact collation: the type must be the same whatever the column's is.
  return isTextual(column) ? bytes(reference) : withoutZero(column, comparableColumn(column, reference));
}

/** Digits that records show at least; an expression may be stored with more. */
function scaleOf(column: ColumnSchema): number {
  return column.scale ?? digitsOf(column).scale;
}

const units = {
  Year: sql`year`,
  Quarter: sql`quarter`,
  Month: sql`month`,
  Week: sql`week`,
  Day: sql`day`,
} as const satisfies Record<DateBucket, Sql>;

/** Counted in whole units from a Monday that is also the first day of a year. */
const origin = sql`'0001-01-01'`;

/** The first day of the unit that a column is in; a Dateonly belongs to no zone. */
export function mariadbBucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql {
  const local = localTime(column, reference);
  const unit = units[bucket];
  return sql`cast(date_add(${origin}, interval timestampdiff(${unit}, ${origin}, ${local}) ${unit}) as char(10))`;
}

/** The local time of an instant in the zone of the caller. A day has no zone. */
export function localTime(column: ColumnSchema, reference: Sql): Sql {
  const date = withoutZero(column, reference);
  return column.type === 'Dateonly' ? date : sql`date_add(${date}, interval ${offset(reference)} second)`;
}

/** Places for the changes of a zone: no zone has more from 1800 to 2150. */
const places = 512;
const offsetWidth = 7;
/** Later than every instant of a DATETIME, in microseconds since 1970. */
const never = 2n ** 63n - 1n;

/**
 * The offset in seconds of the caller's zone at an instant. CONVERT_TZ would need the time zone tables, which many servers do
 * not have, so the zone comes with the statement. INTERVAL finds the stretch that the instant is in by binary search. The
 * offset of each stretch is in one text, at a fixed width. The text of the statement is the same for every zone.
 */
function offset(reference: Sql): Sql {
  const changes = Array.from({ length: places }, (_, place) =>
    slot((context) => offsetsIn(context).changes[place] ?? never),
  );
  const packed = slot((context) =>
    offsetsIn(context)
      .offsets.map((seconds) => String(seconds).padStart(offsetWidth))
      .join(''),
  );
  const elapsed = sql`timestampdiff(microsecond, '1970-01-01', ${reference})`;
  const stretch = sql`interval(${elapsed}, ${sql.join(changes)})`;
  return sql`cast(substr(${packed}, ${stretch} * ${sql.lit(offsetWidth)} + 1, ${sql.lit(offsetWidth)}) as signed)`;
}

const offsetsOfContext = new WeakMap<BindContext, ZoneOffsets>();

/** Asked for by every place of a statement, and had from the zone once. */
function offsetsIn(context: BindContext): ZoneOffsets {
  const known = offsetsOfContext.get(context);
  if (known) return known;
  const found = zoneOffsets(context.now().zone);
  offsetsOfContext.set(context, found);
  return found;
}
