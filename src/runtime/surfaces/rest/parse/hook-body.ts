import { invalidRequest } from '#kernel/errors/request-errors';
import type { FormSearch } from '../../../actions/form-plan.ts';
import { memberOf, objectMemberOf } from './json-object.ts';

/** What a client tells of a form it wants evaluated. */
export interface HookBody {
  /** The values of the fields it shows, by id; empty when it has not loaded the form yet. */
  readonly sent: ReadonlyMap<string, unknown>;
  readonly changedField: string | undefined;
  readonly search: FormSearch | undefined;
}

/** The field that stands for a form that is loading; it was never part of one. */
const placeholderField = 'Loading...';

/** Throws `REQUEST_INVALID` when the fields are no list of fields. */
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
    // A field that is shown and left empty has no default any more.
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
