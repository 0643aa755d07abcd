import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { exactIntegers } from '../wire/json-exchange.ts';
import { packId, type RecordId } from '../wire/record-id.ts';

/** A condition as `ConditionTreeFactory.fromPlainObject` takes it: `{field, operator, value}` or `{aggregator, conditions}`. */
export type PlainCondition =
  | { readonly field: string; readonly operator: string; readonly value?: unknown }
  | { readonly aggregator: 'And' | 'Or' | 'and' | 'or'; readonly conditions: readonly PlainCondition[] };

/** Which records are asked for. */
export interface FilterOptions {
  readonly filters?: PlainCondition;
  readonly search?: string;
  /** Search in the records of to-one relations as well. */
  readonly shouldSearchInRelation?: boolean;
  /** A segment of the code, by its name. */
  readonly segment?: string;
  /** The deleted records only, or all of them, where deletion marks records. Default: those that are not deleted. */
  readonly deleted?: 'only' | 'with';
}

/** A segment that is a query of a database. */
export interface LiveQuery {
  /** Name of the connection that the query runs on. */
  readonly connectionName: string;
  /** Gives the ids of the records, in SQL for example. */
  readonly query: string;
}

/** Which records are asked for, which columns of them, in which order, and which page. */
export interface ListOptions extends FilterOptions {
  /** Columns, and columns of to-one relations written `relation@@@column` or `relation:column`. */
  readonly fields?: readonly string[];
  readonly sort?: { readonly field: string; readonly ascending: boolean };
  /** `number` counts from 1. */
  readonly pagination?: { readonly size?: number; readonly number?: number };
}

/** The query parameters of a list or a count, without the time zone. */
export function listQuery(
  collection: string,
  options: ListOptions & { readonly liveQuery?: LiveQuery },
): URLSearchParams {
  const query = new URLSearchParams();
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) query.set(name, String(value));
  };
  set('filters', options.filters && JSON.stringify(wireCondition(options.filters), exactIntegers));
  set('search', options.search);
  if (options.shouldSearchInRelation !== undefined)
    set('searchExtended', options.shouldSearchInRelation ? 'true' : 'false');
  set('segment', options.segment);
  set('segmentQuery', options.liveQuery?.query);
  set('connectionName', options.liveQuery?.connectionName);
  set('deleted', options.deleted);
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

/** The asked fields as `column` and `relation:column`, in the order in which the agent gives them. */
export function fieldsInOrder(collection: string, fields: readonly string[]): readonly string[] {
  const byOwner = projectedColumns(collection, fields);
  const columns = byOwner.get(collection) ?? [];
  return columns.flatMap((name) => byOwner.get(name)?.map((column) => `${name}:${column}`) ?? [name]);
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
  return cloudError(
    'REQUEST_INVALID',
    `The field "${field}" leads through more than one relation, which a list cannot be asked for.`,
    'Ask for "relation@@@column".',
  );
}

/** All records that a list would have, except for some. */
export interface AllRecords extends FilterOptions {
  /** Only those of a segment that is a query of a database. */
  readonly liveQuery?: LiveQuery;
  /** The records to leave out. */
  readonly except?: readonly RecordId[];
}

/** The attributes of a body that select the records with these keys. */
export function selectionOfIds(ids: readonly RecordId[]) {
  return { ids: ids.map(packId), all_records: false };
}

/** The attributes of a body that select every record that fits. */
export function selectionOfAll(collection: string, { except = [], ...options }: AllRecords) {
  return {
    ids: [],
    all_records: true,
    all_records_ids_excluded: except.map(packId),
    all_records_subset_query: Object.fromEntries(listQuery(collection, options)),
  };
}
