import type { CallToolResult } from '@modelcontextprotocol/server';
import { catalogue } from '#kernel/errors/catalogue';
import { publicErrorOf } from '../../request/public-error.ts';
import { fenced, visibleJson } from '../render/text-form.ts';

/** Errors repeat what a client sent, which may be long. */
const longestMessage = 1_000;

/**
 * The answer of a tool: structured, and the same as text for clients that read only text. The text says that it is data.
 *
 * @param boundary Nobody can guess it.
 */
export function toolSuccess(value: Readonly<Record<string, unknown>>, boundary: string): CallToolResult {
  return { content: [{ type: 'text', text: fenced(visibleJson(value), boundary) }], structuredContent: { ...value } };
}

/** The error and the next steps, for the model to act on: which field it is about, and whether the same call may succeed later. */
export function toolFailure(thrown: unknown): CallToolResult {
  const { code, detail, nextSteps, data } = publicErrorOf(thrown);
  const message = detail.length > longestMessage ? `${detail.slice(0, longestMessage)}…` : detail;
  const field = data?.['field'];
  const retryable = catalogue[code].recover === 'retry';
  const error = { code, message, ...(typeof field === 'string' ? { field } : {}), retryable, nextSteps };
  return { content: [{ type: 'text', text: visibleJson({ error }) }], isError: true };
}
