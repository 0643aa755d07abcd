import type { ActionSelection, ActionTarget } from '../../../actions/action-service.ts';
import { findCollection } from '../../../model/collection-named.ts';
import type { CompiledAction, CompiledCollection } from '../../../model/compiled-model.ts';
import { PathUnknown, type RouteCall } from '../call/route.ts';
import { parseSelectionBody } from './selection-body.ts';

/** Where actions are: with their position, or without it where the agent says so. */
export const actionPaths = ['/_actions/:collection/:index/:slug', '/_actions/:collection/:slug'] as const;

/** The action that the path names. Throws `PathUnknown`. */
export function actionTarget(call: RouteCall): ActionTarget {
  const collection = call.collection();
  const action = actionIn(collection, call);
  if (!action) throw new PathUnknown();
  return { collection, action };
}

/** The same, or `undefined` where there is none. */
export function findAction(call: RouteCall): CompiledAction | undefined {
  const collection = findCollection(call.state.model, call.params['collection']);
  return collection && actionIn(collection, call);
}

function actionIn(collection: CompiledCollection, { params, state }: RouteCall): CompiledAction | undefined {
  const { index, slug = '' } = params;
  return state.actions.find(collection, index === undefined ? slug : `${index}/${slug}`);
}

/** @param body of the request, or what was signed in its place. */
export function parseActionSelection(
  { collection, action }: ActionTarget,
  body: unknown,
  { query, state }: RouteCall,
): ActionSelection {
  const ids = action.definition.scope === 'Global' ? 'ignored' : 'required';
  return parseSelectionBody(state.model, collection, body, query, ids);
}
