import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The forms that one name takes in code. */
export interface GeneratedNames {
  /** As it was given: `Mark as paid`. */
  readonly title: string;
  /** Of files: `mark-as-paid`. */
  readonly file: string;
  /** Of variables: `markAsPaid`. */
  readonly camel: string;
  /** At the end of a name: `MarkAsPaid`. */
  readonly pascal: string;
}

/** @throws `USAGE_INVALID` for a name that begins with no letter, or has other signs than letters, digits, spaces and dashes. */
export function generatedNames(title: string): GeneratedNames {
  if (!/^[\p{L}\p{N} _-]+$/u.test(title)) throw unusable(title);
  const words = title
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  if (words.length === 0 || /^\d/.test(words[0] ?? '')) throw unusable(title);
  const pascal = words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('');
  return { title, file: words.join('-'), camel: `${pascal[0]?.toLowerCase()}${pascal.slice(1)}`, pascal };
}

// What the language keeps for itself, in modules and as the name of a parameter or a constant.
const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
    'this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

/** A name for a variable: with `suffix` where the language keeps the word for itself. */
export function variableName({ camel }: GeneratedNames, suffix: string): string {
  return reserved.has(camel) ? `${camel}${suffix}` : camel;
}

function unusable(title: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${title}" makes no name in code. It must begin with a letter from a to z, and may have letters, digits, spaces and dashes.`,
    'Choose another name, such as "Mark as paid".',
  );
}
