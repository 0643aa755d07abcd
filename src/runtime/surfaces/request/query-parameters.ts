import { parse } from 'node:querystring';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { columnLookup } from '../../model/field-path.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { parseConditionTree } from '../../query/parse-condition-tree.ts';
import type { NativeQuery } from '../../records/read/run-native-query.ts';
import type { RecordQuery } from '../../records/request/record-service.ts';

/** Query parameters by decoded name; the values of a repeated one are joined with a comma. */
export type QueryParameters = Readonly<Record<string, string>>;

/** How many texts are remembered, and how long each may be. */
const maxTexts = 500;
const longestText = 1_000;
/** Only these may be in a text that is remembered. Others hold what people look for. */
const alike = /^(?:fields\[.*\]|timezone|sort)$/s;
const remembered = new Map<string, QueryParameters>();

/**
 * Reads the query of an address; the values of a repeated parameter are joined with a comma. Requests for single records have the
 * same text again and again. It leads to one frozen object, with which others keep what they derive from it. Lists have a page, which
 * differs each time.
 */
export function parseQueryText(text: string): QueryParameters {
  if (text.length > longestText || text.includes('page')) return readQueryText(text);
  const known = remembered.get(text);
  if (known) return known;
  const parameters = readQueryText(text);
  for (const name in parameters) if (!alike.test(name)) return parameters;
  if (remembered.size === maxTexts) remembered.clear();
  remembered.set(text, Object.freeze(parameters));
  return parameters;
}

function readQueryText(text: string): QueryParameters {
  const parameters: NodeJS.Dict<string | string[]> = parse(text);
  for (const name in parameters) {
    const value = parameters[name];
    if (Array.isArray(value)) parameters[name] = value.join(',');
  }
  return parameters as Record<string, string>;
}

/** The value of a parameter, or `undefined`. In the body of a request it may be more than text. */
export type ParameterLookup = (name: string) => unknown;

/** Parameters of the address only. */
export function lookupInQuery(query: QueryParameters): ParameterLookup {
  return (name) => (Object.hasOwn(query, name) ? query[name] : undefined);
}

/** Parameters of a selection in a body first, those of the address where it does not have them. */
export function lookupInSubset(subset: Readonly<Record<string, unknown>>, query: QueryParameters): ParameterLookup {
  const inQuery = lookupInQuery(query);
  return (name) => {
    const value = Object.hasOwn(subset, name) ? subset[name] : undefined;
    return value === undefined || value === null ? inQuery(name) : value;
  };
}

/** Zones by lower-case name. A client can spell a name in thousands of ways, and date formatters are kept by name. */
const known = new Map<string, string>();

/** The IANA time zone of a request, in its usual spelling. Throws `REQUEST_INVALID` unless the runtime knows it. */
export function parseTimezone(text: string | undefined): string {
  if (!text) {
    throw invalidRequest(
      'The parameter "timezone" is missing.',
      'Add an IANA time zone, such as timezone=Europe/Paris.',
    );
  }
  const name = findTimezone(text);
  if (name === undefined) {
    throw invalidRequest(`"${text}" is not a time zone.`, 'Use an IANA time zone, such as Europe/Paris.');
  }
  return name;
}

/** The time zone of that name in its usual spelling; `undefined` unless the runtime knows it. */
export function findTimezone(text: string): string | undefined {
  const key = text.toLowerCase();
  const name = known.get(key) ?? timezoneNamed(text);
  if (name !== undefined) known.set(key, name);
  return name;
}

function timezoneNamed(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    // A zone may have been renamed. The requested name stays.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** Whether a parameter switches something on. Empty, `0` and `false` in any case do not. */
export function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && !['', '0', 'false'].includes(String(value).toLowerCase());
}

/** The part of a query that selects records, without fields and order. */
export type RecordSelection = Pick<
  RecordQuery,
  'collection' | 'where' | 'search' | 'isSearchExtended' | 'segment' | 'liveSegment'
>;

/** Search, segment and filters of a request. */
export function parseRecordSelection(
  model: CompiledModel,
  collection: CompiledCollection,
  lookup: ParameterLookup,
): RecordSelection {
  const search = textOf(lookup, 'search');
  return {
    collection: collection.name,
    where: parseFilters(model, collection, lookup('filters')),
    search: search?.trim() === '' ? undefined : search,
    isSearchExtended: isOn(lookup('searchExtended')),
    segment: textOf(lookup, 'segment'),
    liveSegment: parseLiveSegment(lookup),
  };
}

function parseFilters(
  model: CompiledModel,
  collection: CompiledCollection,
  filters: unknown,
): ConditionTree | undefined {
  if (filters === undefined || filters === null) return undefined;
  return parseConditionTree(filters, columnLookup(model, collection));
}

/** A segment that is a query of the database. */
function parseLiveSegment(lookup: ParameterLookup): NativeQuery | undefined {
  const query = textOf(lookup, 'segmentQuery');
  if (query === undefined || query.trim() === '') return undefined;
  const connectionName = textOf(lookup, 'connectionName');
  if (connectionName !== undefined) return { connectionName, query };
  throw unprocessableRequest('A segment query needs the "connectionName" it is for.', 'Send connectionName as well.');
}

function textOf(lookup: ParameterLookup, name: string): string | undefined {
  const value = lookup(name);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw invalidRequest(`The parameter "${name}" must be a text.`, `Send ${name} as a text.`);
}
