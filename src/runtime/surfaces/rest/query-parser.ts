import { parse } from 'node:querystring';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { QueryParameters } from '../request/query-parameters.ts';

const maxTexts = 500;
const longestText = 4096;

/**
 * Reads the query of an address. One that comes again gives the same frozen object, so that what is made of it can be kept
 * with it: people open the same lists again and again.
 */
export function createQueryParser(): (text: string) => QueryParameters {
  const known = createPlanCache(maxTexts);
  const parsed = (text: string) => Object.freeze(joinRepeated(parse(text)));
  return (text) => (text.length > longestText ? parsed(text) : known.getOrMake(text, () => parsed(text)));
}

/** In place: the parser has made the object. */
function joinRepeated(parameters: NodeJS.Dict<string | string[]>): Record<string, string> {
  for (const [name, value] of Object.entries(parameters)) {
    if (Array.isArray(value)) parameters[name] = value.join(',');
  }
  return parameters as Record<string, string>;
}
