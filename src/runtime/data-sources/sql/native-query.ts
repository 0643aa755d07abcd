import { CloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sqlite-connection';

export interface NativeQuery {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Texts, quoted names and comments, in which a `$` means nothing; `$tag$ … $tag$` is a text of PostgreSQL. */
const opaque = String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|${'`'}[^${'`'}]*${'`'}|--[^\n]*|/\*[\s\S]*?\*/|\$(\w*)\$[\s\S]*?\$\1\$`;
const tokens = new RegExp(String.raw`${opaque}|\$([A-Za-z_]\w*)`, 'g');

/**
 * Replace each `$name` of somebody's SQL by the placeholder of the driver, and list the values in their order. A trailing
 * semicolon is left away; the database refuses more than one statement by itself.
 *
 * @param placeholder what stands for the value number `n`, counted from 1.
 * @throws `DATABASE_NATIVE_QUERY_REFUSED` for a name without a value.
 */
export function bindNativeQuery(
  sql: string,
  values: Readonly<Record<string, SqlValue>>,
  placeholder: (n: number) => string,
): NativeQuery {
  const parameters: SqlValue[] = [];
  const bound = sql
    .trim()
    .replace(/;\s*$/, '')
    .replaceAll(tokens, (whole, _tag, name: string | undefined) => {
      if (name === undefined) return whole;
      if (!Object.hasOwn(values, name)) throw missingValue(name);
      parameters.push(values[name] ?? null);
      return placeholder(parameters.length);
    });
  return { sql: bound, parameters };
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
