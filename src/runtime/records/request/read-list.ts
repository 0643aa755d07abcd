import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { soleRecord } from '../../model/record-id.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { hasHooks, runHooks } from '../read/run-hooks.ts';
import { contextFilter, pageOfKey } from './plan-query.ts';
import type { ReadPlan } from './read-plan.ts';
import type { RecordReader } from './record-reader.ts';
import type { RecordQuery } from './record-service.ts';

/** The projection that is read, and how records are shown. */
interface PlannedRead {
  /** Published. */
  readonly collection: CompiledCollection;
  readonly plan: ReadPlan;
}

/** Which records are read; original names. */
interface FetchedRecords {
  readonly where: ConditionTree | undefined;
  readonly sort: readonly SortClause[];
  readonly page: Page | undefined;
  readonly stretches?: readonly ConditionTree[] | undefined;
}

/**
 * Read records with the hooks of the collection around it. The caller's rights and scope are settled.
 *
 * @param asked The facts that hooks get besides the condition.
 */
export async function readList(
  reader: RecordReader,
  { collection, plan }: PlannedRead,
  fetched: FetchedRecords,
  asked: Pick<RecordQuery, 'search' | 'isSearchExtended' | 'segment'>,
  context: CallContext,
): Promise<RecordData[]> {
  const { engine } = reader;
  const original = engine.collectionNamed(collection.name);
  if (!hasHooks(original, 'Before', 'List') && !hasHooks(original, 'After', 'List')) {
    return reader.fetch(collection, plan, fetched, context);
  }
  const { where, sort, page } = fetched;
  const filter = Object.freeze({ ...contextFilter(where, asked), sort, page });
  const facts = { filter, projection: plan.projection };
  await runHooks(engine, original, 'Before', 'List', facts, context);
  if (!hasHooks(original, 'After', 'List')) return reader.fetch(collection, plan, fetched, context);
  const found = await engine.list(original, { ...fetched, projection: plan.projection }, context);
  const records = found.map(plan.unfold);
  await runHooks(engine, original, 'After', 'List', { ...facts, records: Object.freeze(records) }, context);
  return records.map(plan.publish);
}

/**
 * Read the record of an answer with the hooks of the collection around it.
 *
 * @param plan default: every field that the caller may read.
 */
export async function readOne(
  reader: RecordReader,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
  plan: MaybePromise<ReadPlan> = reader.planOf(collection, undefined, context),
): Promise<RecordData | undefined> {
  const read = { collection, plan: await plan };
  return soleRecord(
    collection,
    await readList(reader, read, { where, sort: [], page: pageOfKey(collection) }, {}, context),
  );
}
