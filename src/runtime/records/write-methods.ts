import type { CloudError } from '#kernel/errors/cloud-error';
import { unprocessableRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, writableCollection } from '../model/compiled-model.ts';
import { recordNotFound } from '../model/record-id.ts';
import type { RecordData } from '../query/record-query.ts';
import { inUnitOfCall, readInput } from './calls/call-context.ts';
import { original } from './check-writes.ts';
import { referredError } from './foresee-delete.ts';
import { keepValues } from './keep-values.ts';
import { writeOn } from './links/link-ends.ts';
import { createInScope } from './links/writes-in-scope.ts';
import { intersect } from './read/record-filter.ts';
import { isNeverTrue } from './read/split-filter.ts';
import { originalId, type RecordReader, scopeOf } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';
import { neededFor, seenValues } from './seen-values.ts';
import { readWritten, updateMethod } from './update-method.ts';
import { noteCreated } from './write/kept-values.ts';
import { deleteByRequest, notingRecords, type ReportError, updateByRequest } from './write/record-writes.ts';
import { restorationOf } from './write/stored-records.ts';
import { writableAttributes } from './write/write-attributes.ts';

/**
 * The methods that write records. Each asks for its right first, then reads its input.
 *
 * @param report Logs failures after a write was committed.
 */
export function writeMethods(
  reader: RecordReader,
  report: ReportError,
): Pick<RecordService, 'create' | 'update' | 'delete' | 'restore'> {
  const { model, authoriser, engine } = reader;
  return {
    async create(name, attributes, context) {
      const collection = writableCollection(model, name, 'create');
      await authoriser.require(context.caller, name, 'add');
      const accepted = writableAttributes(collection, readInput(attributes), undefined, context.caller.timezone);
      const record = original(reader, collection, accepted);
      const { notes } = context;
      notes?.fields(Object.keys(accepted));
      const stored = engine.collectionNamed(name);
      const created = await notingRecords(notes, stored, async (tell) => {
        const made = await createInScope({ reader, report, context }, collection, record);
        if (made) tell?.([made]);
        const keep = made && keepValues(reader, name, context);
        if (keep) noteCreated(keep, stored, made);
        return made;
      });
      const id = stored.primaryKey.map((key) => created?.[key]);
      // Outside of the scope too, where an after-hook has moved it: the caller has just written it.
      const read = await readWritten(reader, collection, originalId(reader, collection, id), context, report);
      return read ?? publishedRecord(reader, collection, created ?? {});
    },
    update: updateMethod(reader, report),
    async delete(name, where, context, ifMatch) {
      const collection = writableCollection(model, name, 'delete');
      await authoriser.require(context.caller, name, 'delete');
      const tree = await readInput(where);
      const seen = await seenValues(reader, collection, ifMatch, context);
      return notingRecords(context.notes, engine.collectionNamed(name), async (tell) => {
        // The condition selects nothing, so no hooks run.
        if (isNeverTrue(tree)) return 0;
        const filter = await reader.filterOf(collection, { where: tree }, neededFor('delete', seen), context);
        const unchanged = await seen?.require(filter, context);
        const stored = engine.collectionNamed(name);
        return inUnitOfCall(context, async (inside) => {
          const keep = keepValues(reader, name, inside);
          const link = { reader, report, context: inside, tell, unchanged, keep };
          const deleted = await deleteByRequest(writeOn(link, collection), filter);
          // All of them or none: those that the database has left have changed. Code may keep them for reasons of its own.
          if (!stored.overrides.delete) await seen?.refuseChanged(filter, inside);
          return deleted;
        }).catch(async (error: unknown) => {
          throw await referredError(reader, stored, filter, context, error);
        });
      });
    },
    async restore(name, id, context) {
      const collection = writableCollection(model, name, 'update');
      await authoriser.require(context.caller, name, 'delete');
      const restoration = restorationOf(engine.collectionNamed(name), context);
      if (!restoration) throw deletionRemoves(collection);
      const where = intersect([
        originalId(reader, collection, readInput(id)),
        await scopeOf(reader, collection, 'delete', context),
      ]);
      const keep = keepValues(reader, name, context);
      const write = writeOn({ reader, report, context: restoration.call, keep }, collection);
      if ((await updateByRequest(write, where, restoration.patch)) === 0) throw recordNotFound(collection);
    },
  };
}

function deletionRemoves({ name }: CompiledCollection): CloudError {
  return unprocessableRequest(
    `Deletion removes the records of "${name}"; none can be restored.`,
    'Set "softDelete" of the data source for the table, so that deletion marks its records.',
  );
}

/** The columns of a created record that cannot be read again, because an override stores it elsewhere. */
function publishedRecord(reader: RecordReader, collection: CompiledCollection, created: RecordData): RecordData {
  const isGiven = (name: string) => Object.hasOwn(created, reader.model.names.originalPath(collection.name, name));
  const columns = [...collection.fields.values()].filter(({ kind, name }) => kind === 'column' && isGiven(name));
  const plan = reader.planRead(
    collection,
    columns.map(({ name }) => name),
  );
  return plan.publish(created);
}
