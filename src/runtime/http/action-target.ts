import { createActionCall } from '../actions/action-call.ts';
import type { ActionCall } from '../actions/form-context.ts';
import { recordServiceContext } from '../actions/record-service-context.ts';
import { recordsOfAction } from '../actions/records-of-action.ts';
import type { AgentState } from '../agent/agent-state.ts';
import type { ContextFilter } from '../customizer/customization-context.ts';
import type { Caller } from '../plan/caller.ts';
import type { CompiledAction, CompiledCollection } from '../plan/compiled-model.ts';
import { intersect, scopeCondition } from '../plan/record-filter.ts';
import type { CallContext } from '../plan/record-service.ts';
import { collectionAt } from './collection-at.ts';
import { type BulkSelection, parseSelectionBody } from './parse/selection-body.ts';
import { invalidRequest } from './request-errors.ts';
import { PathUnknown, type RouteCall } from './route.ts';
import { selectedRecords } from './selected-records.ts';

/** An action that a request addresses, and what its code may know about the call. */
export interface ActionTarget {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
  readonly call: ActionCall;
}

/**
 * Find the action of a path. The right to it is asked for before anything of the request is looked at.
 *
 * @param authorise throws where the caller may not do what the route does.
 */
export async function actionTarget(
  { params, query, body, state, context }: RouteCall,
  authorise: (caller: Caller, collection: string, action: string) => Promise<void>,
): Promise<ActionTarget> {
  const collection = collectionAt(state.model, params['collection']);
  const action = collection.actions.get(`${params['index']}/${params['slug']?.toLowerCase()}`);
  if (!action) throw new PathUnknown();
  const callContext = context();
  await authorise(callContext.caller, collection.name, action.name);
  const { scope } = action.definition;
  const isGlobal = scope === 'Global';
  const selection = parseSelectionBody(state.model, collection, body, query, isGlobal ? 'ignored' : 'required');
  if (scope === 'Single' && selection.listed !== undefined && selection.listed !== 1) {
    throw invalidRequest(`The action "${action.name}" runs on exactly one record.`, 'Select one record.');
  }
  const list = async (fields: readonly string[]) => selectedRecords(state, selection, fields, callContext);
  const call = createActionCall(
    recordServiceContext(state.model, state.recordService, callContext, collection.name),
    collection,
    await filterOf(state, collection, selection, callContext),
    recordsOfAction(state.model, collection, isGlobal ? undefined : list),
  );
  return { collection, action, call };
}

/** The selection, with the scope of the caller, so that code that passes it on reaches nothing else. */
async function filterOf(
  { model, authoriser }: AgentState,
  collection: CompiledCollection,
  { where, search, isSearchExtended, segment }: BulkSelection,
  { caller }: CallContext,
): Promise<ContextFilter> {
  const scope = await scopeCondition(model, collection, authoriser, caller);
  return { conditionTree: intersect([where, scope]), search, searchExtended: isSearchExtended, segment };
}
