import { createKeyedTaskQueue, type TaskQueue } from '#kernel/async/task-queue';
import { type CompiledModel, collectionNamed, writableCollection } from '../model/compiled-model.ts';
import { keyOrder } from '../model/key-order.ts';
import { publishedRefusal } from '../model/published-refusal.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, inUnitOfCall, readInput, type Unread } from './calls/call-context.ts';
import { writeChecks } from './check-writes.ts';
import { createContextDataSource } from './context/create-record-engine.ts';
import { recordImport } from './import-records.ts';
import { createLinkService } from './links/create-link-service.ts';
import { recordBatches } from './read/record-batches.ts';
import { hasHooks, runHooks } from './read/run-hooks.ts';
import { readMethods } from './read-methods.ts';
import { recordAccess } from './record-access.ts';
import { aggregator } from './request/aggregate-query.ts';
import { selectedIds, selectionCounter } from './request/count-selected.ts';
import { contextFilter, planSort } from './request/plan-query.ts';
import { createRecordReader, type RecordReader } from './request/record-reader.ts';
import type { CreatedRecord, LinkedPatch, NewRecord, RecordService } from './request/record-service.ts';
import { updateListItem } from './update-list-item.ts';
import type { ReportError } from './write/record-writes.ts';
import { writeMethods } from './write-methods.ts';

/**
 * The service every surface reads and writes records through: authorised, scoped, planned, executed.
 *
 * @param report Logs failures after a write was committed.
 * @param warn Logs what is slow in the code of the project.
 */
export function createRecordService(
  model: CompiledModel,
  authoriser: Authoriser,
  report: ReportError = () => undefined,
  warn: (message: string) => void = () => undefined,
): RecordService {
  const reader = createRecordReader(model, authoriser, warn);
  const writing = writeMethods(reader, report);
  const links = createLinkService(reader, report);
  const checks = writeChecks(reader);
  const readLinked = async (name: string, record: Unread<NewRecord>, { caller }: CallContext) => {
    await authoriser.require(caller, name, 'add');
    const asked = readInput(record);
    for (const holder of asked.holders) await authoriser.require(caller, holder.collection, 'edit');
    return asked;
  };
  const createLinked: RecordService['createLinked'] = async (name, record, context) => {
    const collection = writableCollection(model, name, 'create');
    const asked = await readLinked(name, record, context);
    return createLinkedRecord({ ...writing, ...links }, collection, asked, context);
  };
  const checkCreateLinked: RecordService['checkCreateLinked'] = async (name, record, context) => {
    const asked = await readLinked(name, record, context);
    return checks.checkCreate(name, await linkedAttributes(links, name, asked, context), context);
  };
  const readPatch = async (name: string, patch: Unread<LinkedPatch>, context: CallContext) => {
    writableCollection(model, name, 'update');
    await authoriser.require(context.caller, name, 'edit');
    return linkedAttributes(links, name, readInput(patch), context);
  };
  const updateLinked: RecordService['updateLinked'] = async (name, id, patch, context, ifMatch) =>
    writing.update(name, id, await readPatch(name, patch, context), context, ifMatch);
  const checkUpdateLinked: RecordService['checkUpdateLinked'] = async (name, id, patch, context, ifMatch) =>
    checks.checkUpdate(name, id, await readPatch(name, patch, context), context, ifMatch);
  const reading = readMethods(reader);
  const published = publishRefusals(model, {
    ...writing,
    ...links,
    createLinked,
    updateLinked,
    updateListItem: (place, item, context) => updateListItem({ reader, report, context }, place, item),
  });
  return {
    ...reading,
    exportRecords: exporter(reader),
    aggregate: aggregator(reader),
    ...recordAccess(reader),
    ...contextMethods(reader),
    selectionCounter: (query, right, context) => selectionCounter(reader, query, right, context),
    keysTo: links.keysTo,
    checkLink: links.checkLink,
    checkDissociate: links.checkDissociate,
    ...checks,
    checkCreateLinked,
    checkUpdateLinked,
    ...published,
    ...recordImport({
      model,
      authoriser,
      service: { createLinked: published.createLinked, checkCreateLinked, list: reading.list },
      reader,
    }),
  };
}

function contextMethods(
  reader: RecordReader,
): Pick<RecordService, 'contextOf' | 'dataSourceOf' | 'contextFilter' | 'selectedIds'> {
  const { model, engine } = reader;
  return {
    contextOf: (name, context) => engine.contextOf(engine.collectionNamed(name), context),
    dataSourceOf: (context) => createContextDataSource(engine, context),
    contextFilter: async (query, right, context) => ({
      conditionTree: await reader.filterOf(collectionNamed(model, query.collection), query, right, context),
    }),
    selectedIds: (name, filter, context) => selectedIds(engine, engine.collectionNamed(name), filter, context),
  };
}

type WriteMethods = Pick<
  RecordService,
  | 'create'
  | 'createLinked'
  | 'update'
  | 'updateLinked'
  | 'updateListItem'
  | 'delete'
  | 'restore'
  | 'associate'
  | 'dissociate'
  | 'linkToOne'
>;

/** Methods that write, whose errors name the columns of the database as clients know them. */
function publishRefusals(model: CompiledModel, writes: WriteMethods): WriteMethods {
  const told = async <Result>(collection: string, writing: Promise<Result>): Promise<Result> => {
    try {
      return await writing;
    } catch (error) {
      throw publishedRefusal(model, collection, error);
    }
  };
  return {
    create: (name, ...rest) => told(name, writes.create(name, ...rest)),
    createLinked: (name, ...rest) => told(name, writes.createLinked(name, ...rest)),
    update: (name, ...rest) => told(name, writes.update(name, ...rest)),
    updateLinked: (name, ...rest) => told(name, writes.updateLinked(name, ...rest)),
    updateListItem: (place, ...rest) => told(place.collection, writes.updateListItem(place, ...rest)),
    delete: (name, ...rest) => told(name, writes.delete(name, ...rest)),
    restore: (name, ...rest) => told(name, writes.restore(name, ...rest)),
    associate: (end, ...rest) => told(end.collection, writes.associate(end, ...rest)),
    dissociate: (end, ...rest) => told(end.collection, writes.dissociate(end, ...rest)),
    linkToOne: (end, ...rest) => told(end.collection, writes.linkToOne(end, ...rest)),
  };
}

/** The parts that creating and linking records needs. */
type LinkingService = Pick<RecordService, 'create' | 'keysTo' | 'linkToOne'>;

/**
 * Create a record with its links. A record that will hold the key of the new one may not be there; then the new one must not
 * be there either.
 */
async function createLinkedRecord(
  service: LinkingService,
  { name, primaryKey }: { readonly name: string; readonly primaryKey: readonly string[] },
  asked: NewRecord,
  context: CallContext,
): Promise<CreatedRecord> {
  const attributes = await linkedAttributes(service, name, asked, context);
  if (asked.holders.length === 0) return { record: await service.create(name, attributes, context), holders: {} };
  const record = await inUnitOfCall(context, async (inside) => {
    const created = await service.create(name, attributes, inside);
    const id = primaryKey.map((column) => created[column]);
    for (const holder of asked.holders) {
      await service.linkToOne({ collection: name, id, relation: holder.relation }, holder.id, inside);
    }
    return created;
  });
  return { record, holders: Object.fromEntries(asked.holders.map(({ relation, key }) => [relation, key])) };
}

async function linkedAttributes(
  service: Pick<LinkingService, 'keysTo'>,
  collection: string,
  { attributes, foreignKeys, references }: LinkedPatch,
  context: CallContext,
): Promise<RecordData> {
  const linked: Record<string, unknown> = { ...foreignKeys };
  for (const { relation, id } of references) {
    Object.assign(linked, await service.keysTo(collection, relation, id, context));
  }
  return { ...linked, ...attributes };
}

async function* takeTurns<Item>(items: AsyncIterable<Item>, inTurn: TaskQueue): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTurn(() => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Reads everything that a query asks for, in batches that are published one by one. The exports of one person take turns, a batch
 * each: many of them take no more of the agent and the database than one.
 */
function exporter(reader: RecordReader): RecordService['exportRecords'] {
  const { model, authoriser, engine } = reader;
  const inTurn = createKeyedTaskQueue<number>();
  return async (asked, limit, context) => {
    const collection = collectionNamed(model, asked.collection);
    await authoriser.require(context.caller, collection.name, 'browse');
    await authoriser.require(context.caller, collection.name, 'export');
    const query = 'read' in asked ? asked.read() : asked;
    const plan = await reader.planOf(collection, query.projection, context);
    const wanted = planSort(reader, collection, query.sort ?? []);
    await authoriser.requireReadOn(context.caller, wanted.foreignCollections);
    const where = await reader.filterOf(collection, query, ['browse', 'export'], context);
    const original = engine.collectionNamed(collection.name);
    const clauses = await reader.scopesOf(context).sort(original, wanted.clauses);
    const sort = clauses.length > 0 ? clauses : keyOrder(original);
    const facts = {
      filter: Object.freeze({ ...contextFilter(where, query), sort }),
      projection: plan.projection,
    };
    await runHooks(engine, original, 'Before', 'List', facts, context);
    const fetched = { projection: plan.projection, where, sort };
    const batches = takeTurns(recordBatches(engine, original, fetched, context, limit), (read) =>
      inTurn(context.caller.id, read),
    );
    const hasAfterHooks = hasHooks(original, 'After', 'List');
    return (async function* published() {
      for await (const batch of batches) {
        if (!hasAfterHooks) {
          yield batch.map(plan.present);
          continue;
        }
        const records = batch.map(plan.unfold);
        await runHooks(engine, original, 'After', 'List', { ...facts, records: Object.freeze(records) }, context);
        yield records.map(plan.publish);
      }
    })();
  };
}
