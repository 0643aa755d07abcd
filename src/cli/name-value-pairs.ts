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
