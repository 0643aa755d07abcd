import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { closeCondition } from '../../query/condition-template.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { ListQuery, RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import type { QueryContext, TransactionalStore } from '../interface/data-source.ts';

type Collections = ReadonlyMap<string, CollectionSchema>;
type Read = Pick<TransactionalStore, 'list' | 'count'>;

/** This many records without a value are looked for in one list; further ones lack it too, and are not told. */
const mostFailures = 50;

/**
 * The same store, for columns that the database works out when they are read, and cannot for some record. A list holds that
 * record without the value, and `tell` gets its key, the column and the reason. Where a filter, an order or a grouping needs
 * such a column, the error names it. Reads that succeed are as before, and so are reads inside of a transaction, which such an
 * error ends on PostgreSQL.
 */
export function withFieldFailures(
  store: TransactionalStore,
  collections: Collections,
  tell: (sentence: string) => void,
): TransactionalStore {
  if (![...collections.values()].some(hasWorkedOutColumn)) return store;
  const { prepareList } = store;
  const restOf = async (query: ListQuery, context: QueryContext, error: unknown): Promise<RecordData[]> => {
    if (!isOfRecords(error)) throw error;
    return listTheRest(store, collections, query, context, tell, error);
  };
  const blame = async (root: string, fields: readonly string[], context: QueryContext, error: unknown) => {
    if (!isOfRecords(error)) throw error;
    return throwNamed(store, collections, root, fields, context, error);
  };
  return {
    ...store,
    list: (query, context) => store.list(query, context).catch((error: unknown) => restOf(query, context, error)),
    ...(prepareList
      ? {
          prepareList(template) {
            const list = prepareList(template);
            const { where, ...query } = template;
            return (values, page, context) =>
              list(values, page, context).catch((error: unknown) =>
                restOf({ ...query, where: where && closeCondition(where, values), page }, context, error),
              );
          },
        }
      : {}),
    count: (collection, where, context) =>
      store
        .count(collection, where, context)
        .catch((error: unknown) => blame(collection, fieldsOf(where), context, error)),
    aggregate(query, context) {
      const { field, groups } = query.aggregation;
      const needed = [...fieldsOf(query.where), ...groups.map((group) => group.field), ...(field ? [field] : [])];
      return store.aggregate(query, context).catch((error: unknown) => blame(query.collection, needed, context, error));
    },
  };
}

async function listTheRest(
  store: Read,
  collections: Collections,
  query: ListQuery,
  context: QueryContext,
  tell: (sentence: string) => void,
  error: unknown,
): Promise<RecordData[]> {
  const { collection, projection } = query;
  const isSuspect = (path: string) => isWorkedOut(collections, collection, path);
  const sound = projection.filter((path) => !isSuspect(path));
  const attempt = (paths: readonly string[]) => orFailure(() => store.list({ ...query, projection: paths }, context));
  if (!Array.isArray(await attempt(sound))) {
    const needed = [...fieldsOf(query.where), ...(query.sort ?? []).map(({ field }) => field)];
    return throwNamed(store, collections, collection, needed, context, error);
  }
  const failing = await failingOf(projection.filter(isSuspect), attempt);
  const kept = projection.filter((path) => !failing.has(path));
  const primaryKey = collections.get(collection)?.primaryKey ?? [];
  const records = await store.list({ ...query, projection: [...new Set([...kept, ...primaryKey])] }, context);
  for (const [path, reason] of failing) {
    const subject = `The database cannot work out the column "${path}" of "${collection}"`;
    if (primaryKey.length === 0) tell(`${subject} for each record (${reason}). Records are shown without it.`);
    else {
      const read = (where: ConditionTree) =>
        orFailure(() => store.list({ collection, projection: [...primaryKey, path], where }, context));
      await fillIn(records, path, primaryKey, read, (key, why) =>
        tell(`${subject} for the record ${key} (${why}). The record is shown without it.`),
      );
    }
  }
  const added = primaryKey.filter((name) => !projection.includes(name));
  return added.length === 0 ? records : records.map((record) => without(record, added));
}

/** The paths that cannot be read for every record, each with the reason. Halves are tried, since most paths can. */
async function failingOf(
  paths: readonly string[],
  attempt: (paths: readonly string[]) => Promise<RecordData[] | CloudError>,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const outcome = await attempt(paths);
  if (Array.isArray(outcome)) return new Map();
  const [only = '', ...others] = paths;
  if (others.length === 0) return new Map([[only, reasonOf(outcome)]]);
  const middle = paths.length >> 1;
  return new Map([
    ...(await failingOf(paths.slice(0, middle), attempt)),
    ...(await failingOf(paths.slice(middle), attempt)),
  ]);
}

/** Put the values of `path` into the records that have one. Halves are tried, since most records have. */
async function fillIn(
  records: readonly RecordData[],
  path: string,
  primaryKey: readonly string[],
  read: (where: ConditionTree) => Promise<RecordData[] | CloudError>,
  tellOf: (key: string, reason: string) => void,
): Promise<void> {
  let failures = 0;
  const keyOf = (record: RecordData) => JSON.stringify(primaryKey.map((name) => record[name]));
  const fill = async (part: readonly RecordData[]): Promise<void> => {
    if (part.length === 0 || failures >= mostFailures) return;
    const outcome = await read(conditionOf(primaryKey, part));
    if (Array.isArray(outcome)) {
      const found = new Map(outcome.map((record) => [keyOf(record), record]));
      for (const record of part) copyValue(found.get(keyOf(record)), record, path.split(':'));
      return;
    }
    const [only, ...others] = part;
    if (only && others.length === 0) {
      failures += 1;
      tellOf(primaryKey.map((name) => String(only[name])).join('|'), reasonOf(outcome));
      return;
    }
    const middle = part.length >> 1;
    await fill(part.slice(0, middle));
    await fill(part.slice(middle));
  };
  await fill(records);
}

/** The records are fresh from the database and not yet shown to anybody. */
function copyValue(from: unknown, to: unknown, [name = '', ...inner]: readonly string[]): void {
  if (!isRecord(from) || !isRecord(to)) return;
  if (inner.length > 0) copyValue(from[name], to[name], inner);
  else setValue(to as Record<string, unknown>, name, from[name]);
}

/** One record is looked up in the index: in a list MySQL would work the column out for records beside it. */
function conditionOf(primaryKey: readonly string[], records: readonly RecordData[]): ConditionTree {
  const [only, ...others] = primaryKey;
  if (only !== undefined && others.length === 0 && records.length > 1) {
    return { field: only, operator: 'In', value: records.map((record) => record[only]) };
  }
  const conditions = records.map((record) => ({
    aggregator: 'And' as const,
    conditions: primaryKey.map((field) => ({ field, operator: 'Equal' as const, value: record[field] })),
  }));
  return { aggregator: 'Or', conditions };
}

function without(record: RecordData, names: readonly string[]): RecordData {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** Throws the error that names the column which the query needs and the database cannot work out; else `error`. */
async function throwNamed(
  store: Read,
  collections: Collections,
  root: string,
  fields: readonly string[],
  context: QueryContext,
  error: unknown,
): Promise<never> {
  for (const field of new Set(fields.filter((path) => isWorkedOut(collections, root, path)))) {
    const outcome = await orFailure(() => store.count(root, { field, operator: 'Present' }, context));
    if (isCloudError(outcome)) throw columnFailed(root, field, outcome);
  }
  throw error;
}

function columnFailed(collection: string, field: string, cause: CloudError): CloudError {
  return cloudError(
    'DATABASE_COLUMN_FAILED',
    `The database cannot work out the column "${field}" of "${collection}" for every record, and the query needs it.`,
    [
      `Leave "${field}" out of the filter, the order and the grouping.`,
      'Correct the expression of the column, or the record that it fails for; the log of the agent has the reason.',
    ],
    { details: { field }, cause },
  );
}

async function orFailure<Result>(work: () => Promise<Result>): Promise<Result | CloudError> {
  try {
    return await work();
  } catch (error) {
    if (isCloudError(error) && isOfRecords(error)) return error;
    throw error;
  }
}

/** Whether the values of records may be the reason, and not the connection, the time or the rights. */
function isOfRecords(error: unknown): boolean {
  return isCloudError(error) && (error.code === 'DATABASE_VALUE_REFUSED' || error.code === 'DATABASE_QUERY_FAILED');
}

function reasonOf({ cause, message }: CloudError): string {
  return cause instanceof Error ? cause.message : message;
}

function hasWorkedOutColumn({ fields }: CollectionSchema): boolean {
  return [...fields.values()].some((field) => field.kind === 'column' && field.isWorkedOut);
}

/** Whether the value at `path` comes of an expression. */
function isWorkedOut(collections: Collections, root: string, path: string): boolean {
  const steps = path.split(':');
  const name = steps.pop() ?? '';
  let collection = collections.get(root);
  for (const step of steps) {
    const relation = collection?.fields.get(step);
    collection = relation && relation.kind !== 'column' ? collections.get(relation.foreignCollection) : undefined;
  }
  const field = collection?.fields.get(name);
  return (
    field?.kind === 'column' && !field.isPrimaryKey && (field.isWorkedOut === true || field.expression !== undefined)
  );
}

function fieldsOf(tree: ConditionTree | undefined): readonly string[] {
  if (!tree) return [];
  return isBranch(tree) ? tree.conditions.flatMap(fieldsOf) : [tree.field];
}
