import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/**
 * Words such as `amount=5`, by their names.
 *
 * @param flag The flag that they were given with.
 * @throws `USAGE_INVALID` for a word without a name or without `=`.
 */
export function nameValuePairs(words: readonly string[], flag: string): ReadonlyMap<string, string> {
  return new Map(
    words.map((word) => {
      const end = word.indexOf('=');
      if (end < 1) throw malformed(word, flag);
      return [word.slice(0, end), word.slice(end + 1)] as const;
    }),
  );
}

/** The word with what it lacks. */
function filledIn(word: string): string {
  if (word === '') return '<name>=<value>';
  return word.startsWith('=') ? `<name>${word}` : `${word}=<value>`;
}

function malformed(word: string, flag: string): CloudError {
  return cloudError('USAGE_INVALID', `"${word}" is not of the form name=value.`, `Write ${flag} ${filledIn(word)}`);
}

/**
 * The arguments of a tool: those of the object, overridden by those that have a flag each.
 *
 * @throws `USAGE_INVALID` for a text that is not a JSON object, or a word without a name.
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
    '--arguments is not a JSON object.',
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

/** `browse read on`: some rights, and whether they are given or taken away. Throws `USAGE_INVALID`. */
export function rightsAndSwitch(words: readonly string[]): {
  readonly rights: readonly string[];
  readonly isOn: boolean;
} {
  const last = words.at(-1);
  const rights = words.slice(0, -1);
  if ((last === 'on' || last === 'off') && rights.length > 0) return { rights, isOn: last === 'on' };
  throw cloudError(
    'USAGE_INVALID',
    'Name one right or more, and then "on" or "off".',
    'vendor-cloud permissions set support orders browse read on',
  );
}
