import { invalidRequest } from '#kernel/errors/request-errors';
import { isJsonObject, memberOf, objectMemberOf } from './json-object.ts';

/** The values of the form. */
export function parseActionBody(body: unknown): { readonly values: Readonly<Record<string, unknown>> } {
  const { values } = objectMemberOf(memberOf(body, 'data'), 'attributes');
  if (values === undefined || values === null) return { values: {} };
  if (!isJsonObject(values)) {
    throw invalidRequest('"values" must be an object.', 'Send the form values by field, or {}.');
  }
  // A client that has not loaded the form yet sends its placeholder along.
  return { values: Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'Loading...')) };
}
