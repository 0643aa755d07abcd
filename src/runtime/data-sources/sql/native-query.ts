import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';

export interface BoundQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** How an engine writes SQL, as far as the names in it go. */
export interface NativeSyntax {
  /**
   * The parts in which a `$` means nothing: texts, quoted names, comments, words; then the `$name` to replace, as the group
   * `name`. An unclosed part ends with the text, so every character is read once, however many comments are open.
   */
  readonly parts: RegExp;
  /** `$1` for every mention of the first name, or a `?` for each mention. */
  readonly placeholders: 'numbered' | 'question marks';
}

/**
 * Replace each `$name` in a user's SQL by the placeholder of the driver, and list the values in their order. A trailing
 * semicolon is left away; the database refuses more than one statement by itself.
 *
 * @throws `DATABASE_NATIVE_QUERY_REFUSED` for a name without a value.
 */
export function bindNativeQuery(
  sql: string,
  values: Readonly<Record<string, SqlValue>>,
  { parts, placeholders }: NativeSyntax,
): BoundQuery {
  const numbers = new Map<string, number>();
  const parameters: SqlValue[] = [];
  const text = sql.trim().replace(/;$/, '');
  let bound = '';
  let position = 0;
  for (const match of text.matchAll(parts)) {
    const name = match.groups?.['name'];
    if (name === undefined) continue;
    if (!Object.hasOwn(values, name)) throw missingValue(name);
    const known = placeholders === 'numbered' ? numbers.get(name) : undefined;
    const number = known ?? parameters.push(values[name] ?? null);
    numbers.set(name, number);
    bound += `${text.slice(position, match.index)}${placeholders === 'numbered' ? `$${number}` : '?'}`;
    position = match.index + match[0].length;
  }
  return { sql: bound + text.slice(position), parameters };
}

/** The error of the database about a user's own SQL. The user may read it. */
export function nativeQueryRefused(cause: unknown): CloudError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : '';
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    `The database refused the native query${reason === '' ? '' : `: ${reason}`}.`,
    'Correct the query; it must be one query that only reads.',
    { cause },
  );
}

function missingValue(name: string): CloudError {
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    `The native query uses $${name}, for which there is no value.`,
    `Give a value for "${name}", or correct the name in the query.`,
  );
}
