import type { QueryParameters } from './query-parameters.ts';

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
