import { CloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';

export interface NativeQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** What a `$` means nothing in: texts, quoted names, comments; `$tag$ … $tag$` is a text of PostgreSQL. */
const standardParts =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|\$(?<name>[A-Za-z_]\w*)/g;

/**
 * Replace each `$name` of somebody's SQL by the placeholder of the driver, and list the values in their order. A trailing
 * semicolon is left away; the database refuses more than one statement by itself.
 *
 * @param placeholder what stands for the value number `n`, counted from 1.
 * @param parts what is passed over, and the `$name` to replace as the group `name`; for engines that write texts in their own way.
 * @throws `DATABASE_NATIVE_QUERY_REFUSED` for a name without a value.
 */
export function bindNativeQuery(
  sql: string,
  values: Readonly<Record<string, SqlValue>>,
  placeholder: (n: number) => string,
  parts: RegExp = standardParts,
): NativeQuery {
  const parameters: SqlValue[] = [];
  const text = sql.trim().replace(/;\s*$/, '');
  let bound = '';
  let position = 0;
  for (const match of text.matchAll(parts)) {
    const name = match.groups?.['name'];
    if (name === undefined) continue;
    if (!Object.hasOwn(values, name)) throw missingValue(name);
    parameters.push(values[name] ?? null);
    bound += `${text.slice(position, match.index)}${placeholder(parameters.length)}`;
    position = match.index + match[0].length;
  }
  return { sql: bound + text.slice(position), parameters };
}

/** What the database says against somebody's SQL; it is theirs, so they may read it. */
export function nativeQueryRefused(cause: unknown): CloudError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : '';
  return new CloudError({
    code: 'DATABASE_NATIVE_QUERY_REFUSED',
    message: `The database refused the native query${reason === '' ? '' : `: ${reason}`}.`,
    nextSteps: ['Correct the query; it must be one statement that only reads.'],
    cause,
  });
}

function missingValue(name: string): CloudError {
  return new CloudError({
    code: 'DATABASE_NATIVE_QUERY_REFUSED',
    message: `The native query uses $${name}, for which there is no value.`,
    nextSteps: [`Give a value for "${name}", or correct the name in the query.`],
  });
}
