import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { ActionApproval, ActionSelection, ActionTarget } from '../../../actions/action-order.ts';
import type { ActionService } from '../../../actions/action-service.ts';
import { findCollection } from '../../../model/collection-named.ts';
import type { CompiledAction, CompiledCollection } from '../../../model/compiled-model.ts';
import { approvalInvalid } from '../../../permissions/signed-approvals.ts';
import { PathUnknown, type RouteCall } from '../call/route.ts';
import { isJsonObject, type JsonObject, memberOf, objectMemberOf } from './json-object.ts';
import { parseSelectionBody } from './selection-body.ts';

/** The paths of actions: with their position, or without it where the agent says so. */
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

/** @param body The body of the request, or the signed one in its place. */
export function parseActionSelection(
  { collection, action }: ActionTarget,
  body: unknown,
  { query, state }: RouteCall,
): ActionSelection {
  const ids = action.definition.scope === 'Global' ? 'ignored' : 'required';
  return parseSelectionBody(state.model, collection, body, query, ids);
}

/** The body of a request to run an action. */
export interface ActionOrder {
  /** The body that counts: the signed one, where there is one. */
  readonly body: unknown;
  /** `undefined` for an unsigned request. */
  readonly approval: ActionApproval | undefined;
}

/** Throws `REQUEST_UNPROCESSABLE` for an unsigned approval, `ACTION_APPROVAL_…` for a signed one that does not hold. */
export async function parseActionOrder(
  body: unknown,
  actions: Pick<ActionService, 'openApproval'>,
): Promise<ActionOrder> {
  const unsigned = attributesOf(body);
  if (unsigned['requester_id'] !== undefined) {
    throw unprocessableRequest('"requester_id" is only valid inside a signed request.', 'Leave it out.');
  }
  const token = unsigned['signed_approval_request'];
  if (token === undefined || token === null || token === '') return { body, approval: undefined };
  const signed = await actions.openApproval(token);
  const { requester_id, collection_name: collection, smart_action_id: actionId } = attributesOf(signed.body);
  return {
    body: signed.body,
    approval: { requesterId: parseRequester(requester_id), collection, actionId, spend: signed.spend },
  };
}

/** The values of the form. */
export function parseFormValues({ body }: ActionOrder): JsonObject {
  const { values } = attributesOf(body);
  if (values === undefined || values === null) return {};
  if (!isJsonObject(values)) {
    throw invalidRequest('"values" must be an object.', 'Send the form values by field, or {}.');
  }
  // A client that has not loaded the form yet sends its placeholder along.
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'Loading...'));
}

function attributesOf(body: unknown): JsonObject {
  return objectMemberOf(memberOf(body, 'data'), 'attributes');
}

function parseRequester(id: unknown): number | undefined {
  if (id === undefined || id === null) return undefined;
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw approvalInvalid('The signed request does not say who asked for the approval.');
}
