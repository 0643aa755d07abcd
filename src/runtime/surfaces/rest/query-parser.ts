import { parse } from 'node:querystring';
import type { QueryParameters } from '../request/query-parameters.ts';

/** Reads the query of an address; the values of a repeated parameter are joined with a comma. */
export function parseQueryText(text: string): QueryParameters {
  const parameters: NodeJS.Dict<string | string[]> = parse(text);
  for (const name in parameters) {
    const value = parameters[name];
    if (Array.isArray(value)) parameters[name] = value.join(',');
  }
  return parameters as Record<string, string>;
}
