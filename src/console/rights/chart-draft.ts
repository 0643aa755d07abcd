import type { RecordChart } from '#contracts/dashboards';
import type { FilterGroup } from '../grid/filter-tree.ts';
import { type Chart, isUnfilled, scopeFrom } from './team-draft.ts';

export const chartTypes = ['Value', 'Objective', 'Pie', 'Line', 'Leaderboard'] as const;
export const aggregators = ['Count', 'Sum', 'Avg', 'Min', 'Max'] as const;
export const timeRanges = ['Day', 'Week', 'Month', 'Quarter', 'Year'] as const;

/** A chart over records while somebody defines it. What its type has no use for is kept and left out. */
export interface ChartDraft {
  /** What people call it; it may be empty. */
  readonly name: string;
  readonly type: (typeof chartTypes)[number];
  readonly collection: string;
  readonly aggregator: (typeof aggregators)[number];
  /** What is added up. */
  readonly field: string;
  readonly groupBy: string;
  readonly timeRange: (typeof timeRanges)[number];
  /** A number, as it is typed. */
  readonly objective: string;
  /** The relation whose records a leaderboard measures, and the field that names a record. */
  readonly relation: string;
  readonly label: string;
  /** Empty for what the agent takes without one. */
  readonly limit: string;
  readonly filter: FilterGroup;
}

export function begunChart(collection: string): ChartDraft {
  return {
    ...{
      name: '',
      type: 'Value',
      collection,
      aggregator: 'Count',
      field: '',
      groupBy: '',
      timeRange: 'Month',
      objective: '',
    },
    ...{ relation: '', label: '', limit: '', filter: { aggregator: 'and', conditions: [] } },
  };
}

/** The chart as clients ask for it; `undefined` while something is missing. */
export function chartFrom(draft: ChartDraft): Chart | undefined {
  const { type, collection, aggregator, field, filter } = draft;
  const name = draft.name.trim();
  const own = ofType(draft);
  const isMeasured = aggregator === 'Count' || field !== '';
  if (!own || !isMeasured || isUnfilled(filter)) return undefined;
  const where = scopeFrom(filter);
  return {
    ...(name === '' ? {} : { name }),
    ...{ type, sourceCollectionName: collection, aggregator },
    ...(aggregator === 'Count' ? {} : { aggregateFieldName: field }),
    ...own,
    ...(where ? { filter: where } : {}),
  };
}

/** A chart of the rights as the agent answers it; `undefined` for one of another kind than over records. */
export function recordChartFrom({ name, sourceCollectionName: collection, ...rest }: Chart): RecordChart | undefined {
  const isKnown = chartTypes.some((type) => type === rest.type) && typeof collection === 'string';
  return isKnown ? ({ ...rest, title: typeof name === 'string' ? name : '', collection } as RecordChart) : undefined;
}

/** What only charts of its type have; `undefined` while something of it is missing. */
function ofType({ type, groupBy, timeRange, objective, relation, label, limit }: ChartDraft): object | undefined {
  switch (type) {
    case 'Value':
      return {};
    case 'Objective':
      return objective === '' ? undefined : { objective: Number(objective) };
    case 'Pie':
      return groupBy === '' ? undefined : { groupByFieldName: groupBy };
    case 'Line':
      return groupBy === '' ? undefined : { groupByFieldName: groupBy, timeRange };
    case 'Leaderboard':
      if (relation === '' || label === '' || !isLimit(limit)) return undefined;
      return {
        ...{ labelFieldName: label, relationshipFieldName: relation },
        ...(limit === '' ? {} : { limit: Number(limit) }),
      };
  }
}

const mostRecords = 1000;

function isLimit(text: string): boolean {
  const count = Number(text);
  return text === '' || (Number.isInteger(count) && count >= 1 && count <= mostRecords);
}
