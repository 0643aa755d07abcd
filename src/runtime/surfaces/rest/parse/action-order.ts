import { unprocessableRequest } from '#kernel/errors/request-errors';
import { approvalInvalid, type SignedApprovals } from '../../../permissions/signed-approvals.ts';
import { type JsonObject, memberOf, objectMemberOf } from './json-object.ts';

/** What an execution of an action is to do, and on whose approval. */
export interface ActionOrder {
  /** The body that counts: the one that was signed, where there is one. */
  readonly body: unknown;
  /** Who asked for the approval; absent where the caller acts on their own. */
  readonly requesterId: number | undefined;
  /** Throws `ACTION_APPROVAL_INVALID` when what was signed is another action. */
  assertNames(collection: string, actionId: string): void;
  /** To be called when the action runs. Throws `ACTION_APPROVAL_INVALID` for an approval that was used before. */
  spend(): void;
}

/** Throws `REQUEST_UNPROCESSABLE` for an unsigned approval, `ACTION_APPROVAL_…` for a signed one that does not hold. */
export async function parseActionOrder(body: unknown, approvals: SignedApprovals): Promise<ActionOrder> {
  const unsigned = objectMemberOf(memberOf(body, 'data'), 'attributes');
  if (unsigned['requester_id'] !== undefined) {
    throw unprocessableRequest('"requester_id" is only valid inside a signed request.', 'Leave it out.');
  }
  const token = unsigned['signed_approval_request'];
  if (token === undefined || token === null || token === '') {
    return { body, requesterId: undefined, assertNames: () => undefined, spend: () => undefined };
  }
  const approval = await approvals.open(token);
  const attributes = objectMemberOf(memberOf(approval.body, 'data'), 'attributes');
  return {
    body: approval.body,
    requesterId: requesterOf(attributes),
    assertNames: (collection, actionId) => {
      assertSame(attributes['collection_name'], collection);
      assertSame(attributes['smart_action_id'], actionId);
    },
    spend: approval.spend,
  };
}

function requesterOf({ requester_id: id }: JsonObject): number | undefined {
  if (id === undefined || id === null) return undefined;
  const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : id;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw approvalInvalid('The signed request does not say by whom the approval was asked for.');
}

/** A signed request that does not say what it is for can be for this. */
function assertSame(signed: unknown, addressed: string): void {
  if (signed === undefined || signed === null || signed === addressed) return;
  throw approvalInvalid('The signed request is for another action.');
}
