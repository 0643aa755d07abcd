import type { AgentState } from '../agent/agent-state.ts';
import type { ActionContext } from '../customizer/action-definition.ts';
import type { CompiledCollection } from '../plan/compiled-model.ts';
import type { CallContext } from '../plan/record-service.ts';
import { packId, requireKey } from './packed-id.ts';
import type { RecordSelection } from './parse/record-selection.ts';
import { invalidRequest } from './request-errors.ts';
import { selectedRecords } from './selected-records.ts';

/** What the code of an action sees of the call. Records are read when it asks for them, with the rights of the caller. */
export function createActionContext(
  state: AgentState,
  collection: CompiledCollection,
  selection: RecordSelection | undefined,
  formValues: Readonly<Record<string, unknown>>,
  context: CallContext,
): ActionContext {
  const getRecords: ActionContext['getRecords'] = async (fields) =>
    selection ? [...(await selectedRecords(state, selection, fields, context))] : [];
  return {
    caller: context.caller,
    formValues,
    getRecords,
    getRecordIds: async () => {
      if (!selection) return [];
      requireKey(collection);
      const records = await getRecords(collection.primaryKey);
      const [only, ...others] = collection.primaryKey;
      return records.map((record) => {
        const value = only !== undefined && others.length === 0 ? record[only] : undefined;
        return typeof value === 'number' ? value : packId(collection, record);
      });
    },
    getRecord: async (fields) => {
      const [record] = await getRecords(fields);
      if (record) return record;
      throw invalidRequest('The selected record does not exist.', 'Select a record that you can see.');
    },
  };
}
