import { parse } from 'node:querystring';
import { invalidRequest } from '#kernel/errors/request-errors';

/** Query parameters by decoded name; the values of a repeated one are joined with a comma. */
export type QueryParameters = Readonly<Record<string, string>>;

/** Reads the query of an address; the values of a repeated parameter are joined with a comma. */
export function parseQueryText(text: string): QueryParameters {
  const parameters: NodeJS.Dict<string | string[]> = parse(text);
  for (const name in parameters) {
    const value = parameters[name];
    if (Array.isArray(value)) parameters[name] = value.join(',');
  }
  return parameters as Record<string, string>;
}

/** The value of a parameter, or `undefined`. In the body of a request it may be more than text. */
export type ParameterLookup = (name: string) => unknown;

/** Parameters of the address alone. */
export function lookupInQuery(query: QueryParameters): ParameterLookup {
  return (name) => (Object.hasOwn(query, name) ? query[name] : undefined);
}

/** Parameters of a selection in a body first, those of the address where it does not have them. */
export function lookupInSubset(subset: Readonly<Record<string, unknown>>, query: QueryParameters): ParameterLookup {
  const inQuery = lookupInQuery(query);
  return (name) => {
    const value = Object.hasOwn(subset, name) ? subset[name] : undefined;
    return value === undefined || value === null ? inQuery(name) : value;
  };
}

/** Zones by lower-case name. A client can spell a name in thousands of ways, and date formatters are kept by name. */
const known = new Map<string, string>();

/** The IANA time zone of a request, in its usual spelling. Throws `REQUEST_INVALID` unless the runtime knows it. */
export function parseTimezone(text: string | undefined): string {
  if (!text) {
    throw invalidRequest(
      'The parameter "timezone" is missing.',
      'Add an IANA time zone, such as timezone=Europe/Paris.',
    );
  }
  const name = findTimezone(text);
  if (name === undefined) {
    throw invalidRequest(`"${text}" is not a time zone.`, 'Use an IANA time zone, such as Europe/Paris.');
  }
  return name;
}

/** The time zone of that name in its usual spelling; `undefined` unless the runtime knows it. */
export function findTimezone(text: string): string | undefined {
  const key = text.toLowerCase();
  const name = known.get(key) ?? timezoneNamed(text);
  if (name !== undefined) known.set(key, name);
  return name;
}

function timezoneNamed(text: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    // A zone may have been renamed. The requested name stays.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return undefined;
  }
}

/** Whether a parameter switches something on. Empty, `0` and `false` in any case do not. */
export function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && !['', '0', 'false'].includes(String(value).toLowerCase());
}
