import type { ContextFilter, CustomizationContext } from '../customizer/customization-context.ts';
import type { CompiledCollection } from '../model/compiled-model.ts';
import { packedKey, requireKey } from '../model/packed-id.ts';
import { valueReader } from '../query/record-path.ts';
import type { RecordData } from '../query/record-query.ts';
import type { ActionCall } from './form-context.ts';
import type { RecordsOfAction } from './records-of-action.ts';

type KeyPart = string | number;

/**
 * What an action knows about its call. Records are read when its code asks for them, with the rights of the caller.
 *
 * @param context of the collection, as every handler of a customization gets it.
 */
export function createActionCall(
  context: CustomizationContext,
  collection: CompiledCollection,
  filter: ContextFilter,
  { getRecords, noRecord }: RecordsOfAction,
): ActionCall {
  const { primaryKey } = collection;
  const keyOf = (record: RecordData): KeyPart[] => primaryKey.map((column) => record[column] as KeyPart);
  const keys = async (): Promise<KeyPart[][]> => {
    requireKey(collection);
    return (await getRecords(primaryKey)).map(keyOf);
  };
  const only = async (fields: readonly string[]): Promise<RecordData> => {
    const [record] = await getRecords(fields);
    if (!record) throw noRecord();
    return record;
  };
  return {
    ...context,
    filter,
    getRecords,
    getRecordIds: async () => (await keys()).map(simpleKey),
    getCompositeRecordIds: keys,
    getRecord: only,
    getRecordId: async () => simpleKey(keyOf(await only(primaryKey))),
    getCompositeRecordId: async () => keyOf(await only(primaryKey)),
    getField: async (field) => valueReader(field)(await only([field])),
  };
}

/** One value, or the packed form where the key is composite. */
export function simpleKey(key: readonly KeyPart[]): KeyPart {
  const [value] = key;
  return key.length === 1 && value !== undefined ? value : packedKey(key);
}
