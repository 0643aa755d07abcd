import type { MongoDocument } from '#kernel/ports/mongo-database';
import { averageOfSum } from '../../query/aggregate-records.ts';
import type { AggregateRow, Aggregation, AggregationGroup, DateBucket } from '../../query/aggregation.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { parseDecimal } from '../../query/exact-decimal.ts';
import { decodeValue, exactText } from './document-values.ts';
import type { QueryPipeline, ReachedColumn } from './mongo-pipeline.ts';

/** Makes rows of the documents of an aggregation. */
type ReadRows = (documents: readonly MongoDocument[]) => AggregateRow[];

/** End in groups: by their value descending, nulls last, then by what they are grouped by. */
export function planAggregate(
  pipeline: QueryPipeline,
  aggregation: Aggregation,
  timezone: string,
  limit: number | undefined,
): ReadRows {
  const groups = aggregation.groups.map((group, index) => ({
    ...group,
    ...pipeline.reach(group.field),
    key: `g${index}`,
  }));
  const field = aggregation.field === undefined ? undefined : pipeline.reach(aggregation.field);
  const _id = Object.fromEntries(
    groups.map((group) => [group.key, groupExpression(group.path, group.bucket, timezone)]),
  );
  pipeline.add(
    { $group: { _id, ...accumulators(aggregation, field) } },
    { $set: { value: valueExpression(aggregation, field?.column) } },
    { $sort: { value: -1, ...Object.fromEntries(groups.map(({ key }) => [`_id.${key}`, 1])) } },
  );
  if (limit !== undefined && limit > 0) pipeline.add({ $limit: limit });
  return (documents) => {
    // MongoDB makes no group of no documents.
    const isEmptyTotal = documents.length === 0 && groups.length === 0;
    if (isEmptyTotal) return [{ value: aggregation.operation === 'Count' ? 0 : null, group: {} }];
    return documents.map((document) => ({
      value: readValue(aggregation, field?.column, document),
      group: Object.fromEntries(groups.map((group) => [group.field, readGroup(group, document)])),
    }));
  };
}

function groupExpression(path: string, bucket: DateBucket | undefined, timezone: string): unknown {
  // A missing field and null are one group.
  const value = { $ifNull: [`$${path}`, null] };
  if (bucket === undefined) return value;
  const isDay = [
    { $eq: [{ $type: `$${path}` }, 'date'] },
    { $gte: [`$${path}`, firstWritable] },
    { $lt: [`$${path}`, lastWritable] },
  ];
  return { $cond: [{ $and: isDay }, firstDay(`$${path}`, bucket, timezone), null] };
}

// Other years have no text in MongoDB, which refuses the whole query for one of them.
const firstWritable = new Date('0001-01-08T00:00:00Z');
const lastWritable = new Date('9999-12-31T00:00:00Z');

/** The first day of the stretch that an instant is in, as text. */
function firstDay(date: unknown, bucket: DateBucket, timezone: string): unknown {
  const day = (format: string, of: unknown = date) => ({ $dateToString: { date: of, format, timezone } });
  switch (bucket) {
    case 'Day':
      return day('%Y-%m-%d');
    case 'Month':
      return day('%Y-%m-01');
    case 'Year':
      return day('%Y-01-01');
    case 'Quarter': {
      const month = { $month: { date, timezone } };
      const before = (first: number, inside: unknown, after: unknown) => ({
        $cond: [{ $lt: [month, first] }, inside, after],
      });
      const secondHalf = before(10, day('%Y-07-01'), day('%Y-10-01'));
      return before(4, day('%Y-01-01'), before(7, day('%Y-04-01'), secondHalf));
    }
    case 'Week': {
      const sinceMonday = { $subtract: [{ $isoDayOfWeek: { date, timezone } }, 1] };
      return day('%Y-%m-%d', { $dateSubtract: { startDate: date, unit: 'day', amount: sinceMonday, timezone } });
    }
  }
}

function accumulators({ operation }: Aggregation, field: ReachedColumn | undefined): MongoDocument {
  if (!field) return { count: { $sum: 1 } };
  const path = `$${field.path}`;
  const count = { $sum: { $cond: [{ $eq: [{ $ifNull: [path, null] }, null] }, 0, 1] } };
  // A sum of `long` beyond 64 bits would become a floating-point number.
  const term = field.column.isExact ? { $convert: { input: path, to: 'decimal', onError: null, onNull: null } } : path;
  switch (operation) {
    case 'Count':
      return { count };
    case 'Sum':
    case 'Avg':
      return { count, sum: { $sum: term } };
    case 'Min':
      return { extreme: { $min: path } };
    case 'Max':
      return { extreme: { $max: path } };
  }
}

function valueExpression({ operation }: Aggregation, column: ColumnSchema | undefined): unknown {
  switch (operation) {
    case 'Count':
      return '$count';
    case 'Sum':
      return { $cond: [{ $eq: ['$count', 0] }, null, '$sum'] };
    case 'Avg': {
      const divisor = column?.isExact ? { $toDecimal: '$count' } : '$count';
      return { $cond: [{ $eq: ['$count', 0] }, null, { $divide: ['$sum', divisor] }] };
    }
    case 'Min':
    case 'Max':
      return '$extreme';
  }
}

function readValue({ operation }: Aggregation, column: ColumnSchema | undefined, document: MongoDocument): unknown {
  const { value = null } = document;
  if (operation === 'Count') return Number(value);
  if (value === null || !column) return null;
  if (operation === 'Min' || operation === 'Max') return decodeValue(column, value);
  if (!column.isExact) return Number(value);
  if (operation === 'Sum') return exactText(value);
  // The quotient of the database has 34 digits; the others have those of the sum and six.
  const sum = parseDecimal(String(document['sum']));
  return sum ? averageOfSum(sum, Number(document['count'])) : exactText(value);
}

function readGroup(
  { key, bucket, column }: AggregationGroup & { key: string; column: ColumnSchema },
  row: MongoDocument,
) {
  const value = (row['_id'] as MongoDocument)[key];
  return bucket === undefined ? decodeValue(column, value) : (value ?? null);
}
