import type { Clock } from '#kernel/ports/clock';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';

/** The patch that marks a record as deleted; `undefined` where deletion removes it. */
export function deletionMark(schema: CollectionSchema, clock: Clock): RecordData | undefined {
  return schema.softDelete && timesIn(schema, [schema.softDelete.column], clock);
}

/** The records with the times of their creation. A time that a record gives itself stays. */
export function withCreationTimes(
  schema: CollectionSchema,
  records: readonly RecordData[],
  clock: Clock,
): readonly RecordData[] {
  if (!schema.timestamps) return records;
  const times = timesIn(schema, [schema.timestamps.created, schema.timestamps.updated], clock);
  return records.map((record) => ({ ...times, ...given(record) }));
}

/** The patch with the time of the change. A patch that changes nothing is left as it is. */
export function withUpdateTime(schema: CollectionSchema, patch: RecordData, clock: Clock): RecordData {
  if (!schema.timestamps?.updated) return patch;
  const changes = given(patch);
  if (Object.keys(changes).length === 0) return patch;
  return { ...timesIn(schema, [schema.timestamps.updated], clock), ...changes };
}

function timesIn(schema: CollectionSchema, columns: readonly (string | undefined)[], clock: Clock): RecordData {
  const now = new Date(clock.now()).toISOString();
  const named = columns.filter((column) => column !== undefined);
  return Object.fromEntries(named.map((column) => [column, isDay(schema, column) ? now.slice(0, 10) : now]));
}

function isDay({ fields }: CollectionSchema, column: string): boolean {
  const field = fields.get(column);
  return field?.kind === 'column' && field.type === 'Dateonly';
}

function given(record: RecordData): RecordData {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
