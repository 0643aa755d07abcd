import { isCloudError } from '#kernel/errors/cloud-error';
import { writeDropped } from '#node/database/database-errors';
import type { CompiledCollection } from '../model/compiled-model.ts';
import { conditionOfRecords, requireDistinctKeys } from '../model/record-id.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, inUnitOfCall } from './calls/call-context.ts';
import { original } from './check-writes.ts';
import { type ComparedUpdate, compareUpdate } from './compare-update.ts';
import { keepValues } from './keep-values.ts';
import { updateInScope } from './links/writes-in-scope.ts';
import { planProjection } from './read/plan-projection.ts';
import { readOne } from './request/read-list.ts';
import { originalId, type RecordReader } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';
import type { ReportError } from './write/record-writes.ts';
import type { WriteTerms } from './write/store-writes.ts';

/** Updates one record, and answers with what it is then. Asks for the right to edit first, then reads its input. */
export function updateMethod(reader: RecordReader, report: ReportError): RecordService['update'] {
  return async (name, id, patch, context, ifMatch) => {
    const update = await compareUpdate(reader, name, id, patch, context, ifMatch);
    if (!update) return null;
    const { collection, where, accepted, changed } = update;
    context.notes?.fields(Object.keys(changed));
    if (Object.keys(accepted).length === 0)
      return (await readWritten(reader, collection, where, context, report)) ?? null;
    const key = await inUnitOfCall(context, (inside) => writtenKey(reader, report, update, inside));
    if (!key) return null;
    return (await readWritten(reader, collection, originalId(reader, collection, key), context, report)) ?? null;
  };
}

/** Carry out the update; the key that the record has then, `undefined` if there is none any more. */
async function writtenKey(
  reader: RecordReader,
  report: ReportError,
  { collection, where, current, accepted, changed, seen, unchanged }: ComparedUpdate,
  context: CallContext,
): Promise<readonly unknown[] | undefined> {
  const stored = reader.engine.collectionNamed(collection.name);
  const changes = original(reader, collection, accepted);
  const returnsKeys = stored.store.returnsKeys === true && !stored.overrides.update;
  // A trigger may change the key: the write itself says under which one the record is now.
  const told: RecordData[] = [];
  const tell: WriteTerms['tell'] = returnsKeys ? (keys) => told.push(...keys) : undefined;
  const keep = keepValues(reader, collection.name, context);
  const link = { reader, report, context, unchanged, tell, keep };
  const updated = await updateInScope(link, collection, where, changes, original(reader, collection, changed));
  if (updated === 0) {
    await seen?.refuseChanged(where, context);
    return undefined;
  }
  const [written = { ...original(reader, collection, current), ...changes }] = told;
  if (mayHaveLostKey(stored, changes, returnsKeys)) await requireUnderKey(reader, stored, written, context);
  return stored.primaryKey.map((column) => written[column]);
}

/** Whether the record may be under another key than was written, or share its id with another one. */
function mayHaveLostKey(
  { primaryKey, overrides, native }: CompiledCollection,
  changes: RecordData,
  returnsKeys: boolean,
): boolean {
  const isKeySent = primaryKey.some((key) => Object.hasOwn(changes, key));
  if (returnsKeys) return isKeySent && native.hasLooseKey === true;
  return !overrides.update && (isKeySent || native.hasWriteTriggers === true);
}

/** Throws where the record is not under its key, or not only: nothing of the update is kept. */
async function requireUnderKey(
  { engine }: RecordReader,
  collection: CompiledCollection,
  written: RecordData,
  context: CallContext,
): Promise<void> {
  const where = conditionOfRecords(collection, [written]);
  const found = await engine.list(collection, { projection: collection.primaryKey, where }, context);
  if (found.length === 0) throw writeDropped(collection.name);
  requireDistinctKeys(collection, found);
}

/**
 * Read the record that a write answers with. The write is committed: where a computed field fails, the log says so, and the
 * answer leaves out what code computes.
 */
export async function readWritten(
  reader: RecordReader,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
  report: (message: string, error: unknown) => void,
): Promise<RecordData | undefined> {
  const { model, engine } = reader;
  const plan = await reader.planOf(collection, undefined, context);
  try {
    return await readOne(reader, collection, where, context, plan);
  } catch (error) {
    const original = engine.collectionNamed(collection.name);
    const isStored = (path: string) => {
      const { steps } = planProjection(model.original, original, [model.names.originalPath(collection.name, path)]);
      return steps.every(({ kind }) => kind !== 'compute');
    };
    const stored = plan.published.filter(isStored);
    const isCustomization = isCloudError(error) && error.code === 'CUSTOMIZATION_FAILED';
    if (!isCustomization || stored.length === plan.published.length) throw error;
    report(
      `A record of "${collection.name}" was written, and answered without its computed fields: one failed.`,
      error,
    );
    return readOne(reader, collection, where, context, reader.planOf(collection, stored, context));
  }
}
