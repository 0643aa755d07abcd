import { sql } from 'kysely';
import type { Zone } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { type ZoneOffsets, zoneOffsets } from '../sql/zone-offsets.ts';
import { asText, comparable } from './postgres-conditions.ts';
import { familyOf } from './postgres-native-type.ts';
import { postgresDecoder } from './postgres-values.ts';

export function postgresAggregate(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
  reference: Sql | undefined,
): Sql {
  if (!column || !reference) return sql`count(*)`;
  const number = comparable({ column, reference });
  switch (operation) {
    case 'Count':
      return sql`count(${reference})`;
    case 'Sum':
      return sql`sum(${number})`;
    case 'Avg':
      if (column.isExact) return exactAverage(number);
      return sql`sum(${number})::double precision / nullif(count(${number}), 0)`;
    case 'Min':
      return extreme(sql`min`, column, reference);
    case 'Max':
      return extreme(sql`max`, column, reference);
  }
}

/**
 * Six digits more than the numbers have, rounded half away from zero, trailing zeros beyond those of the numbers left
 * out. In whole numbers, since a quotient that is rounded twice may come out wrong.
 */
function exactAverage(number: Sql): Sql {
  const total = sql`sum(${number}::numeric)`;
  const count = sql`nullif(count(${number}), 0)`;
  const digits = sql`(scale(${total}) + 6)`;
  const units = sql`div(abs(${total}) * ('2e' || ${digits})::numeric + ${count}, 2 * ${count}::numeric)`;
  const average = sql`trim_scale(sign(${total}) * ${units} * ('1e-' || ${digits})::numeric)`;
  return sql`round(${average}, greatest(scale(${average}), scale(${total})))`;
}

/** Texts by code point; types without an order for aggregates in a form that sorts like them. */
function extreme(name: Sql, column: ColumnSchema, reference: Sql): Sql {
  switch (column.type) {
    case 'String':
    case 'Enum':
      return sql`${name}(${asText({ column, reference })} collate "C")`;
    case 'Uuid':
      return sql`${name}(${reference}::text collate "C")`;
    case 'Boolean':
      return sql`${name}(${reference}::int)::boolean`;
    case 'Binary':
      return sql`decode(${name}(encode(${reference}, 'hex') collate "C"), 'hex')`;
    default:
      return familyOf(column) === 'money' ? sql`${name}(${reference}::numeric)` : sql`${name}(${reference})`;
  }
}

export function postgresAggregateDecoder(
  operation: AggregateOperation,
  column: ColumnSchema | undefined,
): (stored: SqlValue) => unknown {
  if (operation === 'Count' || !column) return Number;
  if (operation === 'Min' || operation === 'Max') return postgresDecoder(column);
  return column.isExact ? String : Number;
}

/** Truncated where the caller's clock stands; weeks begin on Monday, as ISO 8601 has it. */
export function postgresBucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql {
  const local = localTime(column, reference);
  const day = sql`date_trunc(${sql.lit(bucket.toLowerCase())}, ${local})`;
  // The format has no sign. A year before the first one would be a year after it.
  return sql`to_char(${day}, 'YYYY-MM-DD') || case when ${local} < '0001-01-01' then ' BC' else '' end`;
}

/**
 * The local time of an instant in the zone of the caller, by the rules of Node.js: those of the database may be older. The
 * offset comes with the statement, by a binary search in the changes of the zone, which takes less than `at time zone` does.
 * A day has no zone.
 */
export function localTime(column: ColumnSchema, reference: Sql): Sql {
  if (column.type === 'Dateonly') return sql`${reference}::timestamp`;
  const isLocal = familyOf(column) === 'timestamp';
  const changes = slot(({ now }) => zoneArrays(now().zone).changes);
  const offsets = slot(({ now }) => zoneArrays(now().zone).offsets);
  const stretch = sql`width_bucket(${reference}, ${changes}::${isLocal ? sql`timestamp[]` : sql`timestamptz[]`}) + 1`;
  const utc = isLocal ? reference : sql`(${reference} at time zone 'UTC')`;
  return sql`(${utc} + (${offsets}::int[])[${stretch}] * interval '1 second')`;
}

interface ZoneArrays {
  /** Instants in UTC. */
  readonly changes: string;
  readonly offsets: string;
}

const arraysOf = new WeakMap<ZoneOffsets, ZoneArrays>();

/** The changes of a zone as the database reads arrays. */
function zoneArrays(zone: Zone): ZoneArrays {
  const found = zoneOffsets(zone);
  const known = arraysOf.get(found);
  if (known) return known;
  const instants = found.changes.map((microseconds) => new Date(microseconds / 1000).toISOString());
  const arrays = { changes: `{${instants.join()}}`, offsets: `{${found.offsets.join()}}` };
  arraysOf.set(found, arrays);
  return arrays;
}
