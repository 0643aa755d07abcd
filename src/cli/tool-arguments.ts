import { cloudError } from '#kernel/errors/cloud-error';
import { nameValuePairs } from './name-value-pairs.ts';

/**
 * The arguments of a tool: those of the object, and over them those that stand alone.
 *
 * @throws `USAGE_INVALID` for a text that is no JSON object, or a word without a name.
 */
export function toolArguments(json: string | undefined, words: readonly string[]): Readonly<Record<string, unknown>> {
  const single = [...nameValuePairs(words, '--set')].map(([name, text]) => [name, jsonOrText(text)] as const);
  return { ...objectIn(json), ...Object.fromEntries(single) };
}

function objectIn(json: string | undefined): object {
  if (json === undefined) return {};
  const value = jsonOrText(json);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw cloudError(
    'USAGE_INVALID',
    '--arguments is no JSON object.',
    `Write --arguments '{"collectionName": "orders"}', or --set collectionName=orders.`,
  );
}

/** JSON where it is JSON, else the text itself. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
