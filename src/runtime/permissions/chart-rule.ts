import { canonicalJson } from '#kernel/json/canonical-json';
import type { Caller } from '../customizer/caller.ts';
import { allow, type Decision, forbid, type Standing } from './decision.ts';
import { isEditor } from './permission-level.ts';

/** The keys that define a chart: two charts with equal values are the same. No other key may change the answer. */
const definingKeys = [
  ...['type', 'apiRoute', 'smartRoute', 'query', 'connectionName', 'labelFieldName', 'filter'],
  ...['sourceCollectionName', 'aggregator', 'aggregateFieldName', 'groupByFieldName', 'relationshipFieldName'],
  ...['limit', 'timeRange', 'objective', 'numeratorChartId', 'denominatorChartId'],
];

/** Whether somebody may see a chart: editors any, others those on the dashboards of their rendering. */
export async function decideChart(
  { user, view }: Standing,
  { renderingId }: Caller,
  definition: Readonly<Record<string, unknown>>,
): Promise<Decision> {
  if (isEditor(user)) return allow(`the level ${user.permissionLevel} sees every chart`);
  const { stats } = await view.rendering(renderingId);
  const asked = chartText(definition);
  return stats.some((known) => chartText(known) === asked)
    ? allow('the rendering has the chart')
    : forbid('the rendering has no such chart', 'Your view of the project has no such chart.');
}

/** Gives equal charts the same text. The whole value of each key counts, because two charts may differ in one condition. */
function chartText(definition: Readonly<Record<string, unknown>>): string {
  const defined = definingKeys.flatMap((key) => {
    const value = Object.hasOwn(definition, key) ? definition[key] : undefined;
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  return canonicalJson(Object.fromEntries(defined));
}
