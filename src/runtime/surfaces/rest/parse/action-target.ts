import { invalidRequest } from '#kernel/errors/request-errors';
import { createActionCall } from '../../../actions/action-call.ts';
import type { ActionCall } from '../../../actions/form-functions.ts';
import type { Caller } from '../../../customizer/caller.ts';
import { collectionNamed } from '../../../model/collection-named.ts';
import type { CompiledAction, CompiledCollection } from '../../../model/compiled-model.ts';
import { collectionAt } from '../call/collection-at.ts';
import { PathUnknown, type RouteCall } from '../call/route.ts';
import { type BulkSelection, parseSelectionBody } from './selection-body.ts';

/** Where actions are: with their position, or without it where the agent says so. */
export const actionPaths = ['/_actions/:collection/:index/:slug', '/_actions/:collection/:slug'] as const;

/** An action that a request addresses, and what its code may know about the call. */
export interface ActionTarget {
  readonly collection: CompiledCollection;
  readonly action: CompiledAction;
  readonly selection: BulkSelection;
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
  const { model, recordService } = state;
  const collection = collectionAt(model, params['collection']);
  const action = actionAt(collection, params);
  if (!action) throw new PathUnknown();
  const callContext = context();
  await authorise(callContext.caller, collection.name, action.name);
  const { scope } = action.definition;
  const isGlobal = scope === 'Global';
  const selection = parseSelectionBody(model, collection, body, query, isGlobal ? 'ignored' : 'required');
  if (scope === 'Single' && selection.listed !== 1) {
    throw invalidRequest(`The action "${action.name}" runs on exactly one record.`, 'Select one record.');
  }
  const customization = recordService.contextOf(collection.name, callContext);
  const filter = await recordService.contextFilter(selection, callContext);
  // The code of an action names fields as the database does, and may read what its author chose.
  const original = collectionNamed(model.original, collection.name);
  const call = createActionCall(model.original, original, customization, filter, !isGlobal);
  return { collection, action, selection, call };
}

/** The action that the path names in a collection. */
export function actionAt(collection: CompiledCollection, params: RouteCall['params']): CompiledAction | undefined {
  const { index, slug = '' } = params;
  const address = index === undefined ? slug : `${index}/${slug}`;
  return collection.actions.get(address.toLowerCase());
}
