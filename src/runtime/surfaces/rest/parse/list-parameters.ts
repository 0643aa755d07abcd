import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';
import { useField } from '../../../model/field-path.ts';
import type { Page, SortClause } from '../../../query/record-query.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { PlannedQuery } from '../../../records/request/planned-query.ts';
import type { PlaceInList, RecordQuery } from '../../../records/request/record-service.ts';
import type { AgentState } from '../../request/agent-state.ts';
import {
  lookupInQuery,
  type ParameterLookup,
  parseRecordSelection,
  type QueryParameters,
} from '../../request/query-parameters.ts';

/** A list request as it was sent. */
export interface SentList {
  readonly collection: CompiledCollection;
  readonly query: QueryParameters;
  /** The fields that `Service-Projection` names, if it was sent. */
  readonly header: string | undefined;
  /** The relation, when the list holds the records behind one. */
  readonly relatedTo: RelationEnd | undefined;
}

/** Parameters that select records by more than their columns. */
const dynamicParameters = ['search', 'segment', 'segmentQuery', 'deleted'] as const;

/** Read a list request. A list that selects records by more than their columns is planned again each time. */
export function readListQuestion(
  { model, recordService }: Pick<AgentState, 'model' | 'recordService'>,
  sent: SentList,
): RecordQuery | PlannedQuery {
  const { collection, query, header, relatedTo } = sent;
  const lookup = lookupInQuery(query);
  const projection = () => parseProjection(collection, query, header);
  if (relatedTo || dynamicParameters.some((name) => query[name]) || !namesFields(sent)) {
    const selection = parseRecordSelection(model, collection, lookup);
    const sort = parseSort(collection, lookup('sort'));
    return { ...selection, relatedTo, projection: projection(), sort, page: parsePage(lookup) };
  }
  const filters = lookup('filters');
  return recordService.planList({
    collection,
    key: listKey(sent),
    filter: filters ? readWireFilter(filters) : undefined,
    page: parsePage(lookup),
    shape: () => ({ projection: projection() ?? [], sort: parseSort(collection, lookup('sort')) ?? [] }),
  });
}

/** A list that goes on after a cursor. */
export interface CursorQuestion extends Omit<RecordQuery, 'page'> {
  readonly size: number;
  readonly after: PlaceInList | undefined;
}

/**
 * Read a list request with `page[after]`, which is empty for the first page.
 *
 * @param placeOf throws `REQUEST_INVALID` for the cursor of another list.
 */
export function readCursorQuestion(
  { model }: Pick<AgentState, 'model'>,
  { collection, query, header, relatedTo }: SentList,
  placeOf: (cursor: string) => PlaceInList,
): CursorQuestion {
  const lookup = lookupInQuery(query);
  if (query['page[number]']) {
    throw invalidRequest('A page has a cursor or a number, and not both.', 'Leave out page[number] or page[after].');
  }
  const cursor = query['page[after]'];
  return {
    ...parseRecordSelection(model, collection, lookup),
    relatedTo,
    projection: parseProjection(collection, query, header),
    sort: parseSort(collection, lookup('sort')),
    size: parsePage(lookup).limit,
    after: cursor ? placeOf(cursor) : undefined,
  };
}

/** Which records a list shows, in what order: the parameters without those of the page and the fields. */
export function listIdentity(query: QueryParameters): readonly unknown[] {
  return Object.entries(query)
    .filter(([name]) => !name.startsWith('page[') && !name.startsWith('fields['))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Without named fields, the projection depends on the rights of the caller. */
function namesFields({ collection, query, header }: SentList): boolean {
  return Boolean(header?.trim() || query[`fields[${collection.name}]`]);
}

/** Everything that a plan depends on but the filter, as it was sent. */
function listKey({ collection, query, header }: SentList): string {
  let key = `${collection.name}\n${header ?? ''}\n${query['sort'] ?? ''}`;
  for (const parameter in query) if (parameter.startsWith('fields[')) key += `\n${parameter}=${query[parameter]}`;
  return key;
}

/** Records of a page without a size. */
export const defaultPageSize = 15;
const maxSize = 10_000;

/** `page[size]` and `page[number]`, which counts from 1. Throws `REQUEST_INVALID` unless both are positive, and the size is not too much. */
export function parsePage(lookup: ParameterLookup): Page {
  const limit = positive(lookup, 'page[size]', defaultPageSize);
  const number = positive(lookup, 'page[number]', 1);
  if (limit > maxSize) {
    throw invalidRequest(
      `A page holds at most ${maxSize} records.`,
      'Ask for a smaller page[size], or export a CSV file.',
    );
  }
  const skip = (number - 1) * limit;
  if (!Number.isSafeInteger(skip)) {
    throw invalidRequest('The page lies beyond what can be counted.', 'Ask for a smaller page[number].');
  }
  return { skip, limit };
}

function positive(lookup: ParameterLookup, name: string, fallback: number): number {
  const given = lookup(name);
  if (given === undefined || given === null || given === '') return fallback;
  const value = Number.parseInt(String(given), 10);
  if (!(value > 0)) {
    throw invalidRequest(
      `The parameter "${name}" must be a positive number.`,
      `Send ${name}=${fallback}, for instance.`,
    );
  }
  return value;
}

/**
 * `sort=-price,author.name`: a comma list, `-` for descending. The dot after a relation leads to a field behind it; of
 * `a.b:c` only the first dot does.
 */
export function parseSort(
  { fields }: Pick<CompiledCollection, 'fields'>,
  value: unknown,
): readonly SortClause[] | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw unusableSort();
  return value.split(',').map((part) => {
    const ascending = !part.startsWith('-');
    const name = ascending ? part : part.slice(1);
    if (name === '') throw unusableSort();
    return { field: fields.has(name) ? name : pathOfDotted(fields, name), ascending };
  });
}

/** The name of a relation may hold dots itself, such as that of a table in another schema; the longest name counts. */
function pathOfDotted(fields: CompiledCollection['fields'], dotted: string): string {
  for (const { index } of [...dotted.matchAll(/[.:]/g)].reverse()) {
    const field = fields.get(dotted.slice(0, index));
    if (field && !isValueField(field)) return `${field.name}:${dotted.slice(index + 1)}`;
  }
  return dotted.replace('.', ':');
}

function unusableSort() {
  return invalidRequest('The parameter "sort" has an empty part.', 'List columns, such as sort=-price,author.name.');
}

/**
 * The fields a request asks for: the header `Service-Projection`, else `fields[…]`; `undefined` for the default. The
 * names themselves are checked where the query is planned.
 */
export function parseProjection(
  collection: CompiledCollection,
  query: QueryParameters,
  header: string | undefined,
): readonly string[] | undefined {
  return projectionOfHeader(header) ?? projectionOfQuery(query, collection);
}

function projectionOfHeader(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  return header.split(',').map((part) => part.trim());
}

/** The fields of a query that is remembered, and the collection that they are of. */
interface KnownProjection {
  readonly collection: CompiledCollection;
  readonly paths: readonly string[] | undefined;
}

const knownProjections = new WeakMap<QueryParameters, KnownProjection>();

function projectionOfQuery(query: QueryParameters, collection: CompiledCollection): readonly string[] | undefined {
  const known = knownProjections.get(query);
  if (known?.collection === collection) return known.paths;
  const paths = readProjection(query, collection);
  if (Object.isFrozen(query)) knownProjections.set(query, { collection, paths: Object.freeze(paths) });
  return paths;
}

function readProjection(query: QueryParameters, collection: CompiledCollection): readonly string[] | undefined {
  const asked = namesIn(query, collection.name);
  return asked?.flatMap((name) => {
    if (name.includes(':')) throw unusableField(name, 'it is a path');
    const field = collection.fields.get(name);
    if (!field) throw unusableField(name, `"${collection.name}" has no such field`, useField(collection, name));
    if (isValueField(field)) return [name];
    if (field.kind === 'OneToMany' || field.kind === 'ManyToMany') throw unusableField(name, 'it holds many records');
    const columns = namesIn(query, name);
    if (!columns) {
      throw invalidRequest(
        `The parameter "fields[${name}]" is missing.`,
        `Name the columns, such as fields[${name}]=id.`,
      );
    }
    return columns.map((column) => `${name}:${column}`);
  });
}

function namesIn(query: QueryParameters, key: string): readonly string[] | undefined {
  const parameter = `fields[${key}]`;
  const text = Object.hasOwn(query, parameter) ? query[parameter] : undefined;
  return text ? text.split(',') : undefined;
}

function unusableField(
  name: string,
  reason: string,
  nextStep = 'Name columns and to-one relations of the collection.',
) {
  return invalidRequest(`The field "${name}" cannot be projected: ${reason}.`, nextStep);
}

/** The header that names the fields a client wants, as one text: UTF-8, or ISO 8859-1 where the bytes are not an UTF-8. */
export function projectionHeader(headers: IncomingHttpHeaders): string | undefined {
  const value = headers['service-projection'];
  if (value === undefined) return undefined;
  const text = Array.isArray(value) ? value.join(',') : value;
  const bytes = Buffer.from(text, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : text;
}

/**
 * The context of a request for records of `collection`, with the deleted ones when `deleted=only` or `deleted=with` asks
 * for them.
 */
export function contextWithDeleted(
  context: CallContext,
  { name }: CompiledCollection,
  { deleted }: QueryParameters,
): CallContext {
  if (!deleted || deleted === 'without') return context;
  if (deleted === 'only' || deleted === 'with') return { ...context, deleted: { collection: name, choice: deleted } };
  throw invalidRequest(
    `The parameter "deleted" cannot be "${deleted}".`,
    'Send deleted=only, deleted=with, or leave it out.',
  );
}
