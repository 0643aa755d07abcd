import type { RecordChart } from '#contracts/dashboards';
import type { FilterTree } from '../grid/filter-tree.ts';
import { inTools } from '../grid/filter-words.ts';
import type { VisibleCollection } from '../model/schema.ts';
import type { ToolCall } from '../model/screen-requests.ts';
import { behind, groupedField } from './counted-records.ts';

/** The call of MCP that has the figures of a chart over records; `undefined` where no tool has them. */
export function aggregateCall(chart: RecordChart, collection: VisibleCollection): ToolCall | undefined {
  const { filter, aggregator: operation, aggregateFieldName: field, groupByFieldName, timeRange } = chart;
  const aggregates = [{ operation, field }];
  const call = (
    collectionName: string,
    groupBy: readonly object[],
    filters: FilterTree | undefined,
    limit?: number,
  ) => ({
    name: 'aggregate',
    arguments: { collectionName, aggregates, groupBy, filters: filters && inTools(filters), limit },
  });
  switch (chart.type) {
    case 'Value':
    case 'Objective':
      return call(chart.collection, [], filter);
    case 'Pie':
      return call(chart.collection, [{ field: groupedField(chart, collection) }], filter);
    case 'Line':
      return call(chart.collection, [{ field: groupByFieldName, bucket: timeRange }], filter);
    case 'Leaderboard': {
      const relation = collection.relations.find(({ name }) => name === chart.relationshipFieldName);
      if (relation?.kind !== 'OneToMany' || relation.inverse === null) return undefined;
      const { inverse } = relation;
      const label = { field: `${inverse}:${chart.labelFieldName ?? ''}` };
      return call(relation.collection, [label], filter && behind(inverse, filter), chart.limit ?? 10);
    }
  }
}
