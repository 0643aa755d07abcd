import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { refusedWriteOf, sendTheKey, writeDropped, writeRefused } from '#node/database/database-errors';
import type { RecordStore, TellKeys } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { countNamedKeys } from '../../model/key-order.ts';
import { conditionOfRecords, keysPerCondition, mayShareIds, requireDistinctKeys } from '../../model/record-id.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import type { UnitOfWork } from '../calls/unit-of-work.ts';
import { planFilter } from '../read/plan-filter-and-order.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { type KeepValues, observeWrite } from './kept-values.ts';
import { oneRowForEachKey } from './one-row-for-each-key.ts';
import { type PatchedRecords, wholeDocumentPatches, withWholeDocuments } from './whole-documents.ts';

/** Create records of plain columns: in the database, or by what overrides it. */
export async function createOwn(
  engine: RecordEngine,
  collection: CompiledCollection,
  records: readonly RecordData[],
  call: CallContext,
): Promise<RecordData[]> {
  const { create } = collection.overrides;
  const whole = records.map((record) => withWholeDocuments(record));
  if (!create) {
    const store = await writableStore(collection, call);
    const created = await store.create(collection.name, whole, queryContext(call, collection));
    // The rows are there already.
    await undoneWhenCaught(call.unit, requireCreated(store, collection, created, call), () => true);
    return created;
  }
  const subject = `The override of create of "${collection.name}"`;
  const context = { ...engine.contextOf(collection, call, 'store'), data: whole };
  const created: unknown = await callHandler(subject, () => create(context));
  if (!Array.isArray(created)) throw customizationFailed(`${subject} gave no list of the created records.`);
  if (created.length !== whole.length) {
    throw customizationFailed(`${subject} gave ${created.length} created records for ${whole.length}.`);
  }
  return created.map((given: unknown) => {
    const record = isRecord(given) ? given : {};
    const missing = collection.primaryKey.find((key) => record[key] === undefined || record[key] === null);
    if (missing !== undefined) {
      throw customizationFailed(`${subject} gave a record without its primary key "${missing}".`);
    }
    return columnsOf(collection, record, subject);
  });
}

/**
 * What is created has a key, and is there under it only: otherwise nothing is kept. Only a trigger that runs after the row was
 * written can put it elsewhere then, and another row can have its id only where keys are loose.
 */
async function requireCreated(
  store: RecordStore,
  collection: CompiledCollection,
  created: readonly RecordData[],
  call: CallContext,
): Promise<void> {
  const { name, primaryKey, native } = collection;
  const missing = created.flatMap((record) => primaryKey.filter((key) => (record[key] ?? null) === null));
  // Only a trigger that runs after the row was written can give it a key that the row itself does not tell.
  if (missing.length > 0) throw native.hasInsertTriggers ? writeDropped(name, sendTheKey) : keyNotGiven(name, missing);
  const isChecked = native.hasInsertTriggers || native.hasLooseKey;
  if (!isChecked || created.length === 0 || primaryKey.length === 0) return;
  const context = { ...queryContext(call, collection), deleted: native.softDelete && ('with' as const) };
  const found: RecordData[] = [];
  const size = Math.min(created.length, keysPerCondition(primaryKey.length));
  for (let start = 0; start < created.length; start += size) {
    const where = conditionOfRecords(collection, created.slice(start, start + size));
    found.push(...(await store.list({ collection: name, projection: primaryKey, where }, context)));
  }
  if (found.length < created.length) throw writeDropped(name);
  requireDistinctKeys(collection, found);
}

/** SQLite keeps a row whose key is null, where the key is not an integer: nobody could find it again. */
function keyNotGiven(collection: string, missing: readonly string[]): CloudError {
  return writeRefused({
    code: 'DATABASE_CONSTRAINT_VIOLATED',
    problem: `breaks a rule: a new record of "${collection}" needs its key, which nobody gave and the database does not make. Where another record leads to it, create it with its key first`,
    fields: [...new Set(missing)],
    safeDetails: { collection },
  });
}

/** The columns of a record that an override gives. Another system may answer with more than is shown. */
function columnsOf(collection: CompiledCollection, given: RecordData, subject: string): RecordData {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = collection.fields.get(name);
    if (field?.kind !== 'column') continue;
    const problem = columnValueProblem({ ...field, isExact: true }, value);
    if (problem !== undefined)
      throw customizationFailed(`${subject} gave a record whose "${name}" must be ${problem}.`);
    setValue(record, name, value);
  }
  return record;
}

/** What somebody asks of an update or a deletion, besides what it does. */
export interface WriteTerms {
  /** Gets the keys of the records. */
  readonly tell?: TellKeys | undefined;
  /**
   * Only records that still fulfil these are written. The statement that writes looks at them itself: what is read before it may
   * have changed by then.
   */
  readonly unchanged?: readonly ConditionTree[] | undefined;
  /** Takes down the values of the records. Default: nobody keeps them. */
  readonly keep?: KeepValues | undefined;
}

/** How many records were changed; of an override that does not say, 1. */
export async function updateOwn(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  patch: RecordData,
  call: CallContext,
  terms: WriteTerms = {},
): Promise<number> {
  if (Object.keys(patch).length === 0) return 0;
  // A store that can be extended changes parts of documents itself.
  const isChangedByStore = !collection.overrides.update && collection.store !== collection.dataSource;
  const patches = isChangedByStore
    ? [{ where, patch }]
    : await wholeDocumentPatches(engine, collection, where, patch, call);
  let updated = 0;
  for (const each of patches) updated += await updateWith(engine, collection, each, call, terms);
  return updated;
}

async function updateWith(
  engine: RecordEngine,
  collection: CompiledCollection,
  { where, patch }: PatchedRecords,
  call: CallContext,
  { tell, unchanged, keep }: WriteTerms,
): Promise<number> {
  // A restoration: the data source takes its own mark away. What replaces the update does not see deleted records.
  const isRestored = call.deleted?.collection === collection.name;
  const update = isRestored ? undefined : collection.overrides.update;
  const writable = await writableCondition(engine, collection, where, call);
  if (writable === 'nothing') return 0;
  const condition = whileUnchanged(unchanged, writable);
  if (!update) {
    const store = await writableStore(collection, call);
    const context = queryContext(call, collection);
    return telling(
      { engine, collection, where: condition, call, store, columns: Object.keys(patch) },
      { tell, keep },
      (listener) => store.update(collection.name, condition, patch, context, listener),
    );
  }
  await requireOneRowEach(engine, collection, condition, call);
  keep?.notes.notKept('override');
  await tellSelected(engine, collection, condition, call, tell);
  const context = { ...engine.contextOf(collection, call, 'store'), filter: { conditionTree: condition }, patch };
  const result = await callHandler(`The override of update of "${collection.name}"`, () => update(context));
  return typeof result === 'number' ? result : 1;
}

export async function deleteOwn(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
  { tell, unchanged, keep }: WriteTerms = {},
): Promise<number> {
  const { delete: remove } = collection.overrides;
  const writable = await writableCondition(engine, collection, where, call);
  if (writable === 'nothing') return 0;
  const condition = whileUnchanged(unchanged, writable);
  if (!remove) {
    const store = await writableStore(collection, call);
    return telling(
      { engine, collection, where: condition, call, store, columns: undefined },
      { tell, keep },
      (listener) => store.delete(collection.name, condition, queryContext(call, collection), listener),
    );
  }
  await requireOneRowEach(engine, collection, condition, call);
  keep?.notes.notKept('override');
  await tellSelected(engine, collection, condition, call, tell);
  const context = { ...engine.contextOf(collection, call, 'store'), filter: { conditionTree: condition } };
  const result = await callHandler(`The override of delete of "${collection.name}"`, () => remove(context));
  return typeof result === 'number' ? result : 1;
}

/** Write in the database, and tell which records it changes and what they were and are, where somebody wants to know. */
async function telling(
  records: Parameters<typeof observeWrite>[1],
  { tell, keep }: Pick<WriteTerms, 'tell' | 'keep'>,
  write: (listener: TellKeys | undefined) => Promise<number>,
): Promise<number> {
  const { engine, collection, where, call, store } = records;
  const observed = keep && (await observeWrite(keep, records));
  const tellBoth: TellKeys | undefined = observed
    ? (keys) => {
        observed.tell(keys);
        tell?.(keys);
      }
    : tell;
  const listener = store.tellsKeys ? tellBoth : undefined;
  if (!listener) await tellSelected(engine, collection, where, call, tellBoth);
  const written = await refusedFor(collection, write(listener));
  await observed?.finish();
  return written;
}

/** What replaces a write gets the condition only: it would write every row that has the id. */
async function requireOneRowEach(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<void> {
  const { primaryKey } = collection;
  if (!mayShareIds(collection) || countNamedKeys(where, primaryKey) === undefined) return;
  requireDistinctKeys(collection, await engine.list(collection, { projection: primaryKey, where }, call));
}

/** What replaces a write does not say which records it changes, and not every store does: those that it is asked to. */
async function tellSelected(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
  tell: TellKeys | undefined,
): Promise<void> {
  tell?.(await engine.list(collection, { projection: collection.primaryKey, where }, call));
}

/** A condition that the database can carry out only, by the keys of the records where it cannot; or that there are none. */
export async function writableCondition(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<ConditionTree | undefined | 'nothing'> {
  const { native, residual, isEmpty } = await planFilter(engine, collection, where, call);
  if (isEmpty) return 'nothing';
  if (!residual) return native;
  const found = await engine.list(collection, { projection: collection.primaryKey, where }, call);
  return found.length === 0 ? 'nothing' : conditionOfRecords(collection, found);
}

/** The conditions on the records themselves come first, where a data source finds them. */
function whileUnchanged(
  unchanged: readonly ConditionTree[] = [],
  condition: ConditionTree | undefined,
): ConditionTree | undefined {
  if (unchanged.length === 0) return condition;
  return { aggregator: 'And', conditions: [...unchanged, ...(condition ? [condition] : [])] };
}

/** Refusals of a creation after which rows may be there: where the trigger put them, or under a key that nobody knows. */
const mayLeaveRows: ReadonlySet<string> = new Set(['DATABASE_WRITE_DROPPED', 'DATABASE_CREATED_KEY_UNKNOWN']);

/** The store of a collection inside the transaction of a call. */
export async function writableStore(collection: CompiledCollection, { unit }: CallContext): Promise<RecordStore> {
  if (!unit) throw new TypeError('A write was begun outside of a unit of work.');
  const store = oneRowForEachKey(await unit.writableStore(collection.store), collection, unit);
  return {
    ...store,
    create: (of, records, context) =>
      // A database takes back what one statement did. Several records may take several.
      undoneWhenCaught(
        unit,
        refusedFor(collection, store.create(of, records, context)),
        (error) => records.length > 1 || (isCloudError(error) && mayLeaveRows.has(error.code)),
      ),
  };
}

/** What `writing` rejects with undoes the whole transaction where `isKept` says so, also if code catches the error. */
async function undoneWhenCaught<Result>(
  unit: UnitOfWork | undefined,
  writing: Promise<Result>,
  isKept: (error: unknown) => boolean,
): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    if (isKept(error)) {
      unit?.beforeCommit(() => {
        throw error;
      });
    }
    throw error;
  }
}

/** Adds the collection to an error of the database, because one request may write several collections. */
async function refusedFor<Result>({ name }: CompiledCollection, writing: Promise<Result>): Promise<Result> {
  try {
    return await writing;
  } catch (error) {
    const refused = refusedWriteOf(error);
    throw refused ? writeRefused({ ...refused, safeDetails: { ...refused.safeDetails, collection: name } }) : error;
  }
}
