import { invalidRequest, unprocessableRequest } from '../request-errors.ts';
import { isJsonObject, memberOf, objectMemberOf } from './json-object.ts';

/** The values of the form. Throws `REQUEST_UNPROCESSABLE` for an approval, which this agent cannot check. */
export function parseActionBody(body: unknown): { readonly values: Readonly<Record<string, unknown>> } {
  const attributes = objectMemberOf(memberOf(body, 'data'), 'attributes');
  if (attributes['requester_id'] !== undefined) {
    throw unprocessableRequest('"requester_id" is only valid inside a signed request.', 'Leave it out.');
  }
  if (attributes['signed_approval_request']) {
    // Its payload would replace the whole body, so running the unsigned rest is not what was approved.
    throw unprocessableRequest('Signed approvals are not supported.', 'Trigger the action without an approval.');
  }
  const values = attributes['values'];
  if (values === undefined || values === null) return { values: {} };
  if (!isJsonObject(values)) {
    throw invalidRequest('"values" must be an object.', 'Send the form values by field, or {}.');
  }
  // A client that has not loaded the form yet sends its placeholder along.
  return { values: Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'Loading...')) };
}
