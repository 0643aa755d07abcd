import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';

export interface PositionalQuery {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * What a dollar sign means nothing in: texts (with backslash escapes after an `E`), quoted names, comments, dollar quotes;
 * then words, which may hold one; then `$name`.
 */
const parts =
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)[\s\S]*?\1|\$(?<name>[\p{L}_][\p{L}\p{N}_]*)|[\p{L}_][\p{L}\p{N}_$]*/gu;

/**
 * `$name` → `$1`, its value bound.
 *
 * @throws `DATABASE_NATIVE_QUERY_REFUSED` when a value is not given.
 */
export function toPositional(sql: string, values: Readonly<Record<string, SqlValue>>): PositionalQuery {
  const names: string[] = [];
  let written = '';
  let position = 0;
  for (const match of sql.matchAll(parts)) {
    const name = match.groups?.['name'];
    if (name === undefined) continue;
    if (!Object.hasOwn(values, name)) throw refused(`The value "$${name}" of a native query is not given.`);
    if (!names.includes(name)) names.push(name);
    written += `${sql.slice(position, match.index)}$${names.indexOf(name) + 1}`;
    position = match.index + match[0].length;
  }
  return { sql: written + sql.slice(position), values: names.map((name) => values[name] ?? null) };
}

/** SQLSTATE classes that are the doing of whoever wrote the query: syntax, names, values, writing where only reading is. */
const ownDoing = /^(?:0A|21|22|25|26|2F|42)/;

/** The failure of a native query, without its text, which may hold what is nobody's business. */
export function nativeQueryError(error: unknown): unknown {
  const state = isCloudError(error) ? error.safeDetails['sqlState'] : undefined;
  if (typeof state !== 'string') return error;
  if (state === '25006') return refused('A native query may only read.', state, error);
  return ownDoing.test(state) ? refused(`The database refuses a native query (${state}).`, state, error) : error;
}

function refused(message: string, sqlState?: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'DATABASE_NATIVE_QUERY_REFUSED',
    message,
    nextSteps: ['Correct the query; it must be one statement that only reads.'],
    ...(sqlState === undefined ? {} : { safeDetails: { sqlState } }),
    cause,
  });
}
