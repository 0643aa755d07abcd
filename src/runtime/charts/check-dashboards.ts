import path from 'node:path';
import type { BuiltDashboard, DashboardChart, RecordChart } from '#contracts/dashboards';
import { dashboardFolder } from '#contracts/project-config';
import { CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { checkAggregation } from '../model/check-query.ts';
import {
  type CompiledCollection,
  type CompiledDashboard,
  type CompiledModel,
  collectionNamed,
  columnOf,
} from '../model/compiled-model.ts';
import { collectionsBehind, resolvePath, unknownField } from '../model/field-path.ts';
import { type AggregateChart, leaderboardQuery } from './aggregate-chart.ts';
import { parseAggregateChart } from './parse-aggregate-chart.ts';

/**
 * The dashboards of a project, with all names checked.
 *
 * @param passOver Gets the message of a chart that is left out because it does not fit. Without it the first one is an error.
 * @throws `DASHBOARD_INVALID`
 */
export function checkDashboards(
  model: CompiledModel,
  dashboards: readonly BuiltDashboard[],
  projectRoot: string,
  passOver?: (text: string) => void,
): readonly CompiledDashboard[] {
  return dashboards.map(({ name, title, charts, lines }) => ({
    name,
    title,
    charts: charts.flatMap((definition, index) => {
      const place = { file: path.join(projectRoot, dashboardFolder, `${name}.json`), line: lines[index] ?? 1 };
      try {
        return [{ definition, reads: collectionsOf(model, definition) }];
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        const message = `The chart ${index + 1} of ${dashboardFolder}/${name}.json is not valid: ${error.message}`;
        if (!passOver) throw cloudError('DASHBOARD_INVALID', message, correct, { location: place, cause: error });
        passOver(message);
        return [];
      }
    }),
  }));
}

/** The dashboards of a model without the charts that name what it does not show, or what nobody may ask it. */
export function fittingDashboards(model: CompiledModel): readonly CompiledDashboard[] {
  return (model.dashboards ?? []).map((dashboard) => ({
    ...dashboard,
    charts: dashboard.charts.filter(({ definition }) => isFitting(model, definition)),
  }));
}

function isFitting(model: CompiledModel, definition: DashboardChart): boolean {
  if ('chart' in definition) return true;
  try {
    const collection = collectionNamed(model, definition.collection);
    const chart = parseAggregateChart(model, collection, { ...definition }, noVariables);
    const query = chart.type === 'Leaderboard' ? leaderboardQuery(model, collection, chart) : undefined;
    const groups = 'groupBy' in chart ? [{ field: chart.groupBy }] : [];
    const aggregation = query?.aggregation ?? { ...chart.measure, groups };
    checkAggregation(model, query ? collectionNamed(model, query.collection) : collection, aggregation);
    return true;
  } catch (error) {
    if (error instanceof CloudError) return false;
    throw error;
  }
}

const correct = 'Correct the chart; the format is in docs/actions-and-charts.md.';

/** The collections that a chart reads besides its own. Throws for a name that is not known. */
function collectionsOf(model: CompiledModel, definition: DashboardChart): readonly string[] {
  if ('chart' in definition) {
    if (model.charts.has(definition.chart)) return [];
    const nearest = didYouMean(nearestName(definition.chart, model.charts.keys()));
    throw wrong(`The agent has no chart "${definition.chart}".${nearest}`);
  }
  const collection = collectionNamed(model, definition.collection);
  const chart = parseAggregateChart(model, collection, { ...definition }, noVariables);
  const filtered = pathsOf(definition.filter);
  if (chart.type === 'Leaderboard') {
    if (!collection.fields.has(chart.relation)) throw unknownField(collection, chart.relation);
    const query = leaderboardQuery(model, collection, chart);
    const measured = collectionNamed(model, query.collection);
    checkMeasure(model, measured, { operation: chart.measure.operation, field: query.aggregation.field });
    resolvePath(model, collection, chart.label);
    const among = query.among?.map(({ relation }) => `${relation}:`) ?? [];
    const behind = collectionsBehind(model, measured, among);
    return [measured.name, ...behind, ...collectionsBehind(model, collection, filtered)];
  }
  checkMeasure(model, collection, chart.measure);
  const paths = [...filtered, ...(chart.measure.field === undefined ? [] : [chart.measure.field])];
  if (chart.type === 'Pie' || chart.type === 'Line') {
    const { type } = columnOf(resolvePath(model, collection, chart.groupBy).field);
    if (chart.type === 'Line' && !['Date', 'Dateonly'].includes(String(type))) {
      throw wrong(`"${chart.groupBy}" is not a date, and a line is drawn over dates.`);
    }
    paths.push(chart.groupBy);
  }
  return [...collectionsBehind(model, collection, paths)];
}

function checkMeasure(
  model: CompiledModel,
  collection: CompiledCollection,
  { operation, field }: AggregateChart['measure'],
): void {
  if (operation === 'Count') {
    if (field !== undefined) throw wrong('"Count" counts records, and takes no "aggregateFieldName".');
    return;
  }
  if (field === undefined) throw wrong(`"${operation}" needs an "aggregateFieldName".`);
  const { type } = columnOf(resolvePath(model, collection, field).field);
  if ((operation === 'Sum' || operation === 'Avg') && type !== 'Number') throw wrong(`"${field}" is not a number.`);
}

/** The fields of a filter. */
function pathsOf(filter: RecordChart['filter']): readonly string[] {
  if (!filter) return [];
  return 'conditions' in filter ? filter.conditions.flatMap(pathsOf) : [filter.field];
}

/** A list shows what a chart counts, and its address has no variables. */
function noVariables(name: string): never {
  throw wrong(`It names the variable "${name}", and dashboards take none. Scopes restrict what each person sees.`);
}

function wrong(message: string): CloudError {
  return cloudError('REQUEST_INVALID', message, correct);
}
