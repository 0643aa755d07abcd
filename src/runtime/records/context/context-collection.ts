import { isCloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName, unknownOption } from '#kernel/text/nearest-name';
import type { ContextCollection, ContextFilter } from '../../customizer/customization-context.ts';
import { checkAggregation, checkConditionTree } from '../../model/check-query.ts';
import { type CompiledCollection, columnOf, isValueField } from '../../model/compiled-model.ts';
import { resolvePath } from '../../model/field-path.ts';
import type { AggregateRow, Aggregation } from '../../query/aggregation.ts';
import { inCodeSpelling } from '../../query/code-spelling.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord } from '../../query/shape-record.ts';
import { contextMisused } from '../../user-code/call-handler.ts';
import { type CallContext, inUnitOfCall } from '../calls/call-context.ts';
import { createPathShaper } from '../read/plan-projection.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { filterTree } from '../search/search-condition.ts';
import { createRecords, deleteRecords, updateRecords } from '../write/nested-writes.ts';

const filterKeys = ['conditionTree', 'search', 'searchExtended', 'segment', 'sort', 'page'];

/**
 * A collection as handlers read and write it: original names, customizations included, no hooks, no rights asked. What is
 * wrong with a call is the customization's mistake, not the caller's.
 */
export function createContextCollection(
  engine: RecordEngine,
  collection: CompiledCollection,
  call: CallContext,
): ContextCollection {
  const { model } = engine;
  const subject = `Customization code asked "${collection.name}" for something it does not have`;
  const treeOf = async (filter: ContextFilter) => {
    // A misspelt condition would mean every record.
    const unknown = filter ? unknownOption(filter, filterKeys) : undefined;
    if (unknown !== undefined) throw contextMisused(`A filter on "${collection.name}" has ${unknown}`);
    const { conditionTree, search, searchExtended: isSearchExtended, segment } = filter ?? {};
    const where = conditionTree && inCodeSpelling(conditionTree);
    checking(subject, () => where && checkConditionTree(model, collection, where));
    engine.warnOfSlowPatterns(collection, where);
    if (segment && !collection.segments.has(segment)) {
      throw contextMisused(
        `${subject}: the segment "${segment}".${didYouMean(nearestName(segment, collection.segments.keys()))}`,
      );
    }
    return filterTree(engine, collection, { where, search, isSearchExtended, segment }, call);
  };
  /** A page would be passed over, and more be written than was meant. */
  const allOf = (filter: ContextFilter) => {
    if (filter?.page === undefined) return filter;
    throw contextMisused(
      `Customization code writes a page of "${collection.name}"; list it, and write it by its keys.`,
    );
  };
  return {
    name: collection.name,
    async list(filter, projection) {
      const paths = [...projection];
      const sort = filter?.sort ?? [];
      checking(subject, () =>
        [...paths, ...sort.map(({ field }) => field)].map((path) => resolvePath(model, collection, path)),
      );
      const where = await treeOf(filter);
      const records = await engine.list(collection, { projection: paths, where, sort, page: filter?.page }, call);
      noteRecords(call, collection.name, paths, records);
      return records.map(createPathShaper(model, collection, paths));
    },
    async aggregate(filter, { operation, field, groups = [] }, limit) {
      const aggregation = {
        operation,
        ...(field === undefined ? {} : { field }),
        groups: groups.map((group) => ({ field: group.field, bucket: group.operation })),
      };
      checking(subject, () => checkAggregation(model, collection, aggregation));
      const rows = await engine.aggregate(collection, await treeOf(filter), aggregation, limit, call);
      noteGroups(call, collection.name, aggregation, rows);
      return rows;
    },
    create: (records) =>
      inUnitOfCall(call, async (inside) => {
        for (const record of records) checkPatch(engine, collection, record);
        return createRecords({ engine, call: inside }, collection, records);
      }),
    update: (filter, patch) =>
      inUnitOfCall(call, async (inside) => {
        checkPatch(engine, collection, patch);
        return updateRecords({ engine, call: inside }, collection, await treeOf(allOf(filter)), patch);
      }),
    delete: (filter) =>
      inUnitOfCall(call, async (inside) =>
        deleteRecords({ engine, call: inside }, collection, await treeOf(allOf(filter))),
      ),
  };
}

/** What code gets of records, for whoever wants to know. */
export function noteRecords(
  { noteCodeRead }: CallContext,
  collection: string,
  paths: readonly string[],
  records: readonly RecordData[],
): void {
  if (!noteCodeRead) return;
  for (const path of paths) noteCodeRead(collection, path, records.map(valueReader(path)));
}

/** What code gets of groups: the values that they have in common, and the lowest and the highest ones. */
export function noteGroups(
  { noteCodeRead }: CallContext,
  collection: string,
  { field, groups }: Pick<Aggregation, 'field' | 'groups'>,
  rows: readonly AggregateRow[],
): void {
  if (!noteCodeRead) return;
  for (const { field: path } of groups)
    noteCodeRead(
      collection,
      path,
      rows.map(({ group }) => group[path]),
    );
  if (field !== undefined)
    noteCodeRead(
      collection,
      field,
      rows.map(({ value }) => value),
    );
}

function checking(subject: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!isCloudError(error)) throw error;
    throw contextMisused(`${subject}: ${error.message}`, error);
  }
}

/** The names and types of what is written; relations hold the records of their own collections. */
function checkPatch(engine: RecordEngine, collection: CompiledCollection, patch: RecordData): void {
  const refuse = (name: string, problem: string) =>
    contextMisused(`Customization code wrote "${name}" of "${collection.name}", which ${problem}.`);
  for (const [name, value] of Object.entries(patch)) {
    const field = collection.fields.get(name);
    if (!field) throw refuse(name, 'is not a field');
    if (!isValueField(field)) {
      if (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne') throw refuse(name, 'leads to many records');
      if (!isRecord(value)) throw refuse(name, 'is a relation and takes a record');
      checkPatch(engine, engine.collectionNamed(field.foreignCollection), value);
    } else if (field.kind !== 'column' || field.expression) {
      throw refuse(name, 'is not a column of the database');
    } else {
      const problem = columnValueProblem(columnOf(field), value);
      if (problem !== undefined) throw refuse(name, `must be ${problem}`);
    }
  }
}
