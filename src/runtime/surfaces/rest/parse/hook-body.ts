import { invalidRequest } from '#kernel/errors/request-errors';
import type { FormQuestion } from '../../../actions/action-service.ts';
import { memberOf, objectMemberOf } from '../../request/request-bodies.ts';

/**
 * The state of a form as a client sends it: `sent` holds the values of the fields it shows, and none before it has loaded
 * the form.
 */
type HookBody = Omit<FormQuestion, 'selection'>;

/** A client shows this field while it loads a form. No form has it. */
const placeholderField = 'Loading...';

/** Throws `REQUEST_INVALID` when `fields` is not a list of fields. */
export function parseHookBody(body: unknown): HookBody {
  const attributes = objectMemberOf(memberOf(body, 'data'), 'attributes');
  const fields = attributes['fields'] ?? [];
  if (!Array.isArray(fields)) throw unusable('"fields" must be a list.');
  const sent = new Map<string, unknown>();
  const searchField = textOf(attributes['search_field'], 'search_field');
  let searchValue: unknown;
  for (const field of fields) {
    const id = memberOf(field, 'field');
    if (typeof id !== 'string') throw unusable('Every item of "fields" must name its "field".');
    if (id === searchField) searchValue = memberOf(field, 'searchValue');
    // A field that the client shows and leaves empty has no default any more.
    if (id !== placeholderField) sent.set(id, memberOf(field, 'value'));
  }
  return {
    sent,
    changedField: textOf(attributes['changed_field'], 'changed_field'),
    search: searchField === undefined ? undefined : { fieldId: searchField, text: searchText(searchValue) },
  };
}

function searchText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw unusable('"searchValue" must be a text.');
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw unusable(`"${name}" must be a text.`);
}

function unusable(problem: string) {
  return invalidRequest(problem, 'Send the fields as the last answer had them, with their values.');
}
