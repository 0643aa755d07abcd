import { CloudError } from '#kernel/errors/cloud-error';

/** A condition as `ConditionTreeFactory.fromPlainObject` takes it: `{field, operator, value}` or `{aggregator, conditions}`. */
export type PlainCondition =
  | { readonly field: string; readonly operator: string; readonly value?: unknown }
  | { readonly aggregator: 'And' | 'Or' | 'and' | 'or'; readonly conditions: readonly PlainCondition[] };

export interface FilterOptions {
  readonly filters?: PlainCondition;
  readonly search?: string;
  /** Search in the records of to-one relations as well. */
  readonly shouldSearchInRelation?: boolean;
  readonly segment?: string;
}

export interface ListOptions extends FilterOptions {
  /** Columns, and columns of to-one relations written `relation@@@column` or `relation:column`. */
  readonly fields?: readonly string[];
  readonly sort?: { readonly field: string; readonly ascending: boolean };
  /** `number` counts from 1. */
  readonly pagination?: { readonly size?: number; readonly number?: number };
}

/** The query parameters of a list or a count. */
export function listQuery(collection: string, options: ListOptions, timezone: string): URLSearchParams {
  const query = new URLSearchParams({ timezone });
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) query.set(name, String(value));
  };
  set('filters', options.filters && JSON.stringify(wireCondition(options.filters)));
  set('search', options.search);
  if (options.shouldSearchInRelation !== undefined)
    set('searchExtended', options.shouldSearchInRelation ? 'true' : 'false');
  set('segment', options.segment);
  set('sort', options.sort && `${options.sort.ascending ? '' : '-'}${options.sort.field}`);
  set('page[size]', options.pagination?.size);
  set('page[number]', options.pagination?.number);
  for (const [name, columns] of projectedColumns(collection, options.fields ?? []))
    query.set(`fields[${name}]`, columns.join(','));
  return query;
}

/** Operators in snake case and aggregators in lower case, as they travel. */
function wireCondition(condition: PlainCondition): unknown {
  if ('aggregator' in condition) {
    return { aggregator: condition.aggregator.toLowerCase(), conditions: condition.conditions.map(wireCondition) };
  }
  const operator = condition.operator.replaceAll(/(?<=[A-Za-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return { ...condition, operator };
}

/** Asked columns by the collection or the relation they belong to. */
function projectedColumns(collection: string, fields: readonly string[]): Map<string, string[]> {
  const byOwner = new Map<string, string[]>();
  const add = (owner: string, column: string) => {
    const columns = byOwner.get(owner) ?? [];
    if (!columns.includes(column)) byOwner.set(owner, [...columns, column]);
  };
  for (const field of fields) {
    const [name = '', column, ...deeper] = field.split(/@@@|:/);
    if (deeper.length > 0) throw tooDeep(field);
    add(collection, name);
    if (column !== undefined) add(name, column);
  }
  return byOwner;
}

function tooDeep(field: string): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message: `The field "${field}" leads through more than one relation, which a list cannot be asked for.`,
    nextSteps: ['Ask for "relation@@@column".'],
  });
}
