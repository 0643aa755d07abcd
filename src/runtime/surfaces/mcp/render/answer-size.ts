import * as z from 'zod';
import { unprocessableRequest } from '#kernel/errors/request-errors';
import { visibleJson } from './text-form.ts';

const defaultBytes = 64_000;

/** How large the text of an answer may become. */
export const maxBytesArgument = z.int().min(4_000).max(256_000).default(defaultBytes);

/** Bytes of an answer beside its rows: the fence, the page, notes. */
const frameBytes = 3_000;

/** The most bytes that one unit of a text takes: those of an escape, such as `\u200b`. */
const escapeBytes = 6;

/** The rows from the first one on that fit into an answer of `maxBytes`. */
export function rowsThatFit<Row>(rows: readonly Row[], maxBytes: number): readonly Row[] {
  if (JSON.stringify(rows).length * escapeBytes + frameBytes <= maxBytes) return rows;
  let bytes = frameBytes;
  const end = rows.findIndex((row) => {
    bytes += Buffer.byteLength(visibleJson(row)) + 1;
    return bytes > maxBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** Throws `REQUEST_UNPROCESSABLE` for one value that does not fit into an answer of `maxBytes`. */
export function requireFit(value: unknown, maxBytes: number, nextStep: string): void {
  if (rowsThatFit([value], maxBytes).length > 0) return;
  throw unprocessableRequest(`The answer would have more than ${maxBytes} bytes.`, nextStep);
}
