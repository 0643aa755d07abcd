import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { ActionScope } from '../customizer/action-definition.ts';
import type { ContextFilter, CustomizationContext } from '../customizer/customization-context.ts';
import type { CompiledAction, CompiledCollection, ModelView } from '../model/compiled-model.ts';
import { resolvePath } from '../model/field-path.ts';
import { hasKey, recordWithoutKey, requireKey, simpleKey } from '../model/record-id.ts';
import type { SignedApproval } from '../permissions/signed-approvals.ts';
import { Projection } from '../query/projection.ts';
import { valueReader } from '../query/record-path.ts';
import type { RecordData } from '../query/record-query.ts';
import { recordProjector } from '../query/shape-record.ts';
import type { RecordQuery } from '../records/request/record-service.ts';
import { contextMisused } from '../user-code/call-handler.ts';
import { type ActionCall, extended } from './action-code.ts';

type KeyPart = string | number;

/**
 * The context that the code of an action gets. It reads the selected records when the code asks for them.
 *
 * @param collection of `model`, both in original names: the code of an action uses the names of the database.
 * @param context of the collection, as every handler of a customization gets it.
 * @param scope of the action: a Global one gets no records from `getRecords`, and only a Single one has the record.
 */
export function createActionCall(
  model: ModelView,
  collection: CompiledCollection,
  context: CustomizationContext,
  filter: ContextFilter,
  scope: ActionScope,
): ActionCall {
  const { primaryKey } = collection;
  const getRecords =
    scope === 'Global'
      ? async () => []
      : createRecordBatch(
          (fields) => context.collection.list(filter, fields),
          (field) => checkPath(model, collection, field),
        );
  const keyOf = (record: RecordData): KeyPart[] => {
    if (!hasKey(collection, record)) throw recordWithoutKey(collection);
    return primaryKey.map((column) => record[column] as KeyPart);
  };
  const keys = async (): Promise<KeyPart[][]> => {
    requireKey(collection);
    return (await getRecords(primaryKey)).map(keyOf);
  };
  const only = async (fields: readonly string[]): Promise<RecordData> => {
    if (scope !== 'Single') {
      throw contextMisused(`The code of a ${scope} action asked for the record, and it has not exactly one.`);
    }
    const [record] = await getRecords(fields);
    if (!record) throw recordMissing();
    return record;
  };
  return extended(context, {
    filter,
    getRecords,
    getRecordIds: async () => (await keys()).map(simpleKey),
    getCompositeRecordIds: keys,
    getRecord: only,
    getRecordId: async () => simpleKey(keyOf(await only(primaryKey))),
    getCompositeRecordId: async () => keyOf(await only(primaryKey)),
    getField: async (field: string) => valueReader(field)(await only([field])),
  });
}

/** A field that is not there is a mistake of the code, and not of the request. */
function checkPath(model: ModelView, collection: CompiledCollection, field: string): void {
  try {
    resolvePath(model, collection, field);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    throw contextMisused(
      `The code of an action asked its records for something they do not have: ${error.message}`,
      error,
    );
  }
}

function recordMissing(): CloudError {
  return cloudError('REQUEST_INVALID', 'The selected record does not exist.', 'Select a record that you can see.');
}

/** Reads the selected records, with at least the named fields. */
type ListRecords = (fields: readonly string[]) => Promise<readonly RecordData[]>;

interface Waiting {
  readonly fields: readonly string[];
  readonly answer: PromiseWithResolvers<RecordData[]>;
}

/**
 * Merge the reads of one moment into one query: those before the event loop turns. Each read gets the fields it named. A path
 * that does not exist fails only the read that named it.
 *
 * @param check throws for a field that cannot be read.
 */
export function createRecordBatch(
  list: ListRecords,
  check: (field: string) => unknown,
): (fields: readonly string[]) => Promise<RecordData[]> {
  let waiting: Waiting[] = [];

  const flush = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      const records = await list([...new Set(batch.flatMap(({ fields }) => fields))]);
      for (const { fields, answer } of batch) {
        answer.resolve(records.map(recordProjector(new Projection(...fields))));
      }
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  };

  return async (fields) => {
    for (const field of fields) check(field);
    const answer = Promise.withResolvers<RecordData[]>();
    if (waiting.length === 0) setImmediate(() => void flush());
    waiting.push({ fields, answer });
    return answer.promise;
  };
}

/** An action of a collection. */
export interface ActionTarget {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
}

/** The records that somebody selected for an action, in published names. A Global action has the filters only. */
export interface ActionSelection extends Omit<RecordQuery, 'projection' | 'sort' | 'page'> {
  /** How many records the selection lists by their ids; `undefined` when it is about all that match. */
  readonly listed: number | undefined;
}

/** The input of an action. */
export interface RunInput {
  readonly selection: ActionSelection;
  /** The form values by field id, as the client sent them: keys packed, files as data URIs. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** A signed request to run an action, which the caller approves. */
export interface ActionApproval extends Pick<SignedApproval, 'spend'> {
  /** The person who asked for the approval; `undefined` for a request of the caller's own, which counts as no approval. */
  readonly requesterId: number | undefined;
  /** The collection in the signed request; a request without one is for any. */
  readonly collection: unknown;
  /** The id of the action in the signed request; a request without one is for any. */
  readonly actionId: unknown;
}
