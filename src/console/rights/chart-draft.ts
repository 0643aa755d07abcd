import type { RecordChart } from '#contracts/dashboards';
import { type FilterGroup, filled } from '../grid/filter-tree.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { type Chart, editableScope, isUnfilled, scopeFrom } from './team-draft.ts';

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
  /** Conditions that a form cannot show. They stay in the place of `filter`. */
  readonly kept?: RecordChart['filter'];
}

/** What may be missing in a chart, or not fit. */
export type ChartPart = 'field' | 'filter' | 'objective' | 'groupBy' | 'relation' | 'label' | 'limit';

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
  if (missingIn(draft).length > 0) return undefined;
  const { type, collection, aggregator, field, filter, kept } = draft;
  const name = draft.name.trim();
  const own = ofType(draft);
  const where = kept ?? scopeFrom(filter);
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

/** What is missing in a chart, or does not fit, in the order of the form. */
export function missingIn(draft: ChartDraft): readonly ChartPart[] {
  const { type, aggregator, field, groupBy, objective, relation, label, limit, filter, kept } = draft;
  const isGrouped = type === 'Pie' || type === 'Line';
  const isRanking = type === 'Leaderboard';
  const parts: readonly (readonly [part: ChartPart, isMissing: boolean])[] = [
    ['relation', isRanking && relation === ''],
    ['label', isRanking && label === ''],
    ['limit', isRanking && !isLimit(limit)],
    ['field', aggregator !== 'Count' && field === ''],
    ['groupBy', isGrouped && groupBy === ''],
    ['objective', type === 'Objective' && objective === ''],
    ['filter', kept === undefined && isUnfilled(filter)],
  ];
  return parts.filter(([, isMissing]) => isMissing).map(([part]) => part);
}

/** A chart of the rights as somebody changes it. Without its collection, a form cannot show conditions. */
export function draftOf(chart: RecordChart, collection: VisibleCollection | undefined): ChartDraft {
  const shown = collection && editableScope(chart.filter, collection);
  return {
    ...begunChart(chart.collection),
    ...{ name: chart.title, type: chart.type, aggregator: chart.aggregator, field: chart.aggregateFieldName ?? '' },
    ...{ groupBy: chart.groupByFieldName ?? '', timeRange: chart.timeRange ?? 'Month' },
    ...{ objective: textOf(chart.objective), limit: textOf(chart.limit) },
    ...{ relation: chart.relationshipFieldName ?? '', label: chart.labelFieldName ?? '' },
    ...(shown ? { filter: filled(shown) } : { kept: chart.filter }),
  };
}

function textOf(number: number | undefined): string {
  return number === undefined ? '' : String(number);
}

/** What only charts of its type have. */
function ofType({ type, groupBy, timeRange, objective, relation, label, limit }: ChartDraft): object {
  switch (type) {
    case 'Value':
      return {};
    case 'Objective':
      return { objective: Number(objective) };
    case 'Pie':
      return { groupByFieldName: groupBy };
    case 'Line':
      return { groupByFieldName: groupBy, timeRange };
    case 'Leaderboard':
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
