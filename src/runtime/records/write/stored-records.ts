import type { StoredRecord } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { ConditionLeaf, ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { StoredForm } from '../../query/stored-form.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { storeOf } from '../read/list-records.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { writableCondition } from './store-writes.ts';

export type { StoredRecord };

/**
 * Whether a write can compare how the column is stored. Code that replaces a write gets its condition, and has no use for stored
 * forms.
 */
export function comparesStored({ store, overrides, native }: CompiledCollection, column: string): boolean {
  const field = native.fields.get(column);
  const isStored = field?.kind === 'column' && !field.expression;
  return isStored && store.listStored !== undefined && !overrides.update && !overrides.delete;
}

/** Columns of records, with the form in which each is stored where a write can compare that; original names. */
export async function storedRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  columns: readonly string[],
  where: ConditionTree | undefined,
  context: CallContext,
): Promise<readonly StoredRecord[]> {
  const { listStored } = storeOf(collection, context);
  if (!listStored || !columns.every((column) => comparesStored(collection, column))) {
    const records = await engine.list(collection, { where, projection: columns }, context);
    return records.map((record) => ({ record, forms: [] }));
  }
  const condition = await writableCondition(engine, collection, where, context);
  if (condition === 'nothing') return [];
  return listStored(collection.name, columns, condition, queryContext(context, collection));
}

/** The conditions that columns are stored in these forms. */
export function storedConditions(
  columns: readonly string[],
  forms: readonly (StoredForm | undefined)[],
): readonly ConditionLeaf[] {
  return columns.map((field, index) => {
    const form = forms[index];
    return form ? { field, operator: 'Equal', value: form } : { field, operator: 'Missing' };
  });
}

/** How deleted records of a collection are restored: an update with `patch`, by a call that sees only deleted records. */
interface Restoration {
  readonly patch: RecordData;
  readonly call: CallContext;
}

/** `undefined` where deletion removes records. */
export function restorationOf({ name, native }: CompiledCollection, call: CallContext): Restoration | undefined {
  const { softDelete } = native;
  if (!softDelete) return undefined;
  return { patch: { [softDelete.column]: null }, call: { ...call, deleted: { collection: name, choice: 'only' } } };
}
