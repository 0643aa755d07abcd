import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import type { ActionApproval, ActionService } from '../../../actions/action-service.ts';
import { approvalInvalid } from '../../../permissions/signed-approvals.ts';
import { isJsonObject, type JsonObject, memberOf, objectMemberOf } from './json-object.ts';

/** The body of a request to run an action. */
export interface ActionOrder {
  /** The body that counts: the signed one, where there is one. */
  readonly body: unknown;
  /** `undefined` for a request that nobody signed. */
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
