import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { NativeSyntax } from '../sql/native-query.ts';

/**
 * Texts (with backslash escapes after an `E`), quoted names, comments, dollar quotes, and words, which may hold a dollar sign.
 */
export const postgresSyntax: NativeSyntax = {
  parts:
    /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|\\?$)|'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)[\s\S]*?(?:\1|$)|\$(?<name>[\p{L}_][\p{L}\p{N}_]*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'numbered',
};

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
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    message,
    'Correct the query; it must be one query that only reads.',
    { ...(sqlState === undefined ? {} : { safeDetails: { sqlState } }), cause },
  );
}
