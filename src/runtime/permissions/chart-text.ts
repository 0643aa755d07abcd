import { canonicalJson } from '#kernel/json/canonical-json';

/** The keys that define a chart: two charts with equal values are the same. No other key may change the answer. */
const definingKeys = [
  ...['type', 'apiRoute', 'smartRoute', 'query', 'connectionName', 'labelFieldName', 'filter'],
  ...['sourceCollectionName', 'aggregator', 'aggregateFieldName', 'groupByFieldName', 'relationshipFieldName'],
  ...['limit', 'timeRange', 'objective', 'numeratorChartId', 'denominatorChartId'],
];

/** Gives equal charts the same text. The whole value of each key counts, because two charts may differ in one condition. */
export function chartText(definition: Readonly<Record<string, unknown>>): string {
  const defined = definingKeys.flatMap((key) => {
    const value = Object.hasOwn(definition, key) ? definition[key] : undefined;
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  return canonicalJson(Object.fromEntries(defined));
}
