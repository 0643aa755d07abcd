import type { RecordChart } from '#contracts/dashboards';
import type { FilterTree } from '../grid/filter-tree.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { midnightOf } from '../values/read-zone-time.ts';

/** A part of a chart over records: a bar by what it is grouped by, or a point by its label. Nothing for a chart of one number. */
export type ChartPart = { readonly key: unknown } | { readonly label: string } | undefined;

/** A list that has exactly the records which a part of a chart counts. */
export interface CountedRecords {
  readonly collection: string;
  readonly filters: string | undefined;
}

/** @returns `undefined` where no list has exactly these records. */
export function countedRecords(
  chart: RecordChart,
  part: ChartPart,
  collection: VisibleCollection,
  zone: string,
): CountedRecords | undefined {
  const { filter, type } = chart;
  const own = filter === undefined ? [] : [filter];
  if (type === 'Leaderboard') {
    const relation = collection.relations.find(({ name }) => name === chart.relationshipFieldName);
    if (relation?.kind !== 'OneToMany' || relation.inverse === null || !part || !('key' in part)) {
      return undefined;
    }
    const back = relation.inverse;
    const label = equal(`${back}:${chart.labelFieldName ?? ''}`, part.key);
    return list(relation.collection, [...own.map((tree) => behind(back, tree)), label]);
  }
  if (!part) return list(chart.collection, own);
  const field = groupedField(chart, collection);
  if ('key' in part) return list(chart.collection, [...own, equal(field, part.key)]);
  const period = periodOf(part.label);
  if (!period) return undefined;
  const isDay = collection.fields.find(({ name }) => name === field)?.type === 'Dateonly';
  const from = isDay ? period.from : midnightOf(period.from, zone);
  const until = isDay ? period.until : midnightOf(period.until, zone);
  if (from === undefined || until === undefined) return undefined;
  return list(chart.collection, [
    ...own,
    {
      aggregator: 'or',
      conditions: [
        { field, operator: 'equal', value: from },
        { field, operator: 'after', value: from },
      ],
    },
    { field, operator: 'before', value: until },
  ]);
}

/** The field that a chart groups by: the key of a relation that it names. */
export function groupedField({ groupByFieldName: name = '' }: RecordChart, { relations }: VisibleCollection): string {
  const relation = relations.find((candidate) => candidate.name === name);
  return relation?.keys[0] ?? name;
}

function list(collection: string, conditions: readonly FilterTree[]): CountedRecords {
  const filters = conditions.length === 0 ? undefined : JSON.stringify({ aggregator: 'and', conditions });
  return { collection, filters };
}

function equal(field: string, value: unknown): FilterTree {
  return value === null ? { field, operator: 'missing' } : { field, operator: 'equal', value };
}

/** A tree about records, asked of the records that lead to them. */
export function behind(relation: string, tree: FilterTree): FilterTree {
  return 'conditions' in tree
    ? { ...tree, conditions: tree.conditions.map((part) => behind(relation, part)) }
    : { ...tree, field: `${relation}:${tree.field}` };
}

interface Period {
  /** The first day, and the one after the last. */
  readonly from: string;
  readonly until: string;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Years of two digits up to this one are of this century. */
const lastYearOfCentury = 60;

/** The days of the label that the agent gives a point: `31/12/2026`, `W1-2026`, `Mar 26`, `Q1-2026`, `2026`. */
export function periodOf(label: string): Period | undefined {
  const day = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(label);
  if (day) return period(Number(day[3]), Number(day[2]) - 1, Number(day[1]), { days: 1 });
  const week = /^W(\d{1,2})-(\d{4})$/.exec(label);
  if (week) {
    // The fourth of January is in the first week, which begins on a Monday.
    const weekday = (new Date(Date.UTC(Number(week[2]), 0, 4)).getUTCDay() + 6) % 7;
    return period(Number(week[2]), 0, 4 - weekday + 7 * (Number(week[1]) - 1), { days: 7 });
  }
  const month = /^([A-Z][a-z]{2}) (\d\d)$/.exec(label);
  if (month) {
    const year = Number(month[2]);
    const index = months.indexOf(month[1] ?? '');
    return index === -1 ? undefined : period(year + (year > lastYearOfCentury ? 1900 : 2000), index, 1, { months: 1 });
  }
  const quarter = /^Q([1-4])-(\d{4})$/.exec(label);
  if (quarter) return period(Number(quarter[2]), 3 * (Number(quarter[1]) - 1), 1, { months: 3 });
  return /^\d{4}$/.test(label) ? period(Number(label), 0, 1, { months: 12 }) : undefined;
}

function period(year: number, month: number, day: number, { days = 0, months: more = 0 }): Period {
  const text = (...parts: [number, number, number]) => new Date(Date.UTC(...parts)).toISOString().slice(0, 10);
  return { from: text(year, month, day), until: text(year, month + more, day + days) };
}
