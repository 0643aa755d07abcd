import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../../customizer/caller.ts';

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const onlyPlaceholder = /^\{\{\s*([\w.-]+)\s*\}\}$/;

/** The values of `{{name}}`: `currentUser.…` for the caller, any other name for a value that was sent with the request. */
export type Variables = (name: string) => unknown;

/**
 * The variables of a request.
 *
 * @param given The values of the request, by name. They cannot replace facts about the caller.
 * @throws `REQUEST_INVALID`, with its name, for a variable without a value.
 */
export function variablesOf(caller: Caller, given: Readonly<Record<string, unknown>> = {}): Variables {
  const own = new Map<string, unknown>([
    ...(['id', 'email', 'firstName', 'lastName', 'role', 'permissionLevel', 'renderingId'] as const).map(
      (name) => [`currentUser.${name}`, caller[name]] as const,
    ),
    ['currentUser.fullName', `${caller.firstName} ${caller.lastName}`.trim()],
    ['currentUser.team.name', caller.team],
    ...Object.entries(caller.tags).map(([name, value]) => [`currentUser.tags.${name}`, value] as const),
  ]);
  return (name) => {
    if (own.has(name)) return own.get(name);
    if (!name.startsWith('currentUser.') && Object.hasOwn(given, name)) return given[name];
    throw withoutValue(name);
  };
}

/** Put variables in the place of their names, in every text. A text that is one name and nothing else becomes its value. */
export function withVariables(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') {
    const only = onlyPlaceholder.exec(value)?.[1];
    if (only !== undefined) return variables(only);
    return value.replaceAll(placeholder, (_match, name: string) => String(variables(name)));
  }
  if (Array.isArray(value)) return value.map((item) => withVariables(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withVariables(inner, variables)]));
}

/** SQL in which `$name` stands where a variable was named, and what to bind to each. The values never become part of the text. */
export function withBoundVariables(
  sql: string,
  variables: Variables,
): { readonly sql: string; readonly values: Readonly<Record<string, unknown>> } {
  const bound = new Map<string, { readonly name: string; readonly value: unknown }>();
  const text = sql.replaceAll(placeholder, (_match, path: string) => {
    const known = bound.get(path) ?? { name: `variable_${bound.size + 1}`, value: variables(path) };
    bound.set(path, known);
    return `$${known.name}`;
  });
  return { sql: text, values: Object.fromEntries([...bound.values()].map(({ name, value }) => [name, value])) };
}

function withoutValue(name: string): CloudError {
  return cloudError('REQUEST_INVALID', `The variable "${name}" has no value.`, 'Send it along, or correct its name.', {
    details: { parameter: name },
  });
}
