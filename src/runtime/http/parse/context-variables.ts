import type { Caller } from '../../plan/caller.ts';
import { invalidRequest } from '../request-errors.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

const placeholder = /\{\{\s*([\w.-]+)\s*\}\}/g;
const onlyPlaceholder = /^\{\{\s*([\w.-]+)\s*\}\}$/;

/** What `{{name}}` stands for: `currentUser.…` for the caller, any other name for what was sent along. */
export type Variables = (name: string) => unknown;

/** The variables of a chart. Throws `REQUEST_INVALID`, naming it, for a variable that nobody has given. */
export function variablesOf(sent: unknown, caller: Caller): Variables {
  const given: JsonObject = isJsonObject(sent) ? sent : {};
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
    throw invalidRequest(`The variable "${name}" has no value.`, `Send it in contextVariables.`);
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
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withVariables(inner, variables)]));
}
