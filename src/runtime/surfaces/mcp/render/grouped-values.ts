import { unprocessableRequest } from '#kernel/errors/request-errors';
import type { AggregateOperation, AggregationGroup } from '../../../query/aggregation.ts';
import type { AggregatedGroup } from '../../../records/request/record-service.ts';
import { shownText } from './shown-record.ts';

/** The most groups that are put together. */
export const maxGroups = 10_000;

export interface Aggregate {
  readonly operation: AggregateOperation;
  readonly field?: string | undefined;
}

interface GroupedBy {
  readonly aggregates: readonly Aggregate[];
  readonly groupBy: readonly AggregationGroup[];
}

interface ShownGroup {
  /** By field. */
  readonly key: Readonly<Record<string, unknown>>;
  /** By aggregate: `Count`, `Sum(total)`. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Put the results of several aggregates over the same groups together: by time where a date is grouped, else in the order of
 * the first aggregate. Throws `REQUEST_UNPROCESSABLE` for too many groups.
 *
 * @param columns The groups of each aggregate.
 */
export function groupsOf({ aggregates, groupBy }: GroupedBy, columns: readonly (readonly AggregatedGroup[])[]) {
  if (columns.some(({ length }) => length > maxGroups)) {
    throw unprocessableRequest(
      `There are more than ${maxGroups} groups.`,
      'Filter, or group by something with fewer values.',
    );
  }
  const labels = aggregates.map(({ operation, field }) => (field === undefined ? operation : `${operation}(${field})`));
  const valuesOf = columns.map((rows) => new Map(rows.map((row) => [JSON.stringify(row.groups), row.value])));
  const [first = []] = columns;
  const shown = inOrder(first, groupBy).map(({ groups }): ShownGroup => {
    const place = JSON.stringify(groups);
    return {
      key: Object.fromEntries(groupBy.map(({ field }, index) => [field, shownText(groups[index] ?? null)])),
      values: Object.fromEntries(labels.map((label, index) => [label, valuesOf[index]?.get(place) ?? null])),
    };
  });
  return shown;
}

/** Dates in order, groups without one at the end. */
function inOrder(rows: readonly AggregatedGroup[], groupBy: readonly AggregationGroup[]): readonly AggregatedGroup[] {
  const dates = groupBy.findIndex(({ bucket }) => bucket !== undefined);
  if (dates === -1) return rows;
  const dayOf = ({ groups }: AggregatedGroup) => String(groups[dates] ?? '\uFFFF');
  return rows.toSorted((one, other) => (dayOf(one) < dayOf(other) ? -1 : Number(dayOf(one) > dayOf(other))));
}
