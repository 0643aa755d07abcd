import type { CallToolResult } from '@modelcontextprotocol/server';
import { publicErrorOf } from '../../request/public-error.ts';
import { fenced, visibleJson } from './text-form.ts';

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

/** The error and the next steps, for the model to act on. */
export function toolFailure(thrown: unknown): CallToolResult {
  const { code, detail, nextSteps } = publicErrorOf(thrown);
  const message = detail.length > longestMessage ? `${detail.slice(0, longestMessage)}…` : detail;
  return { content: [{ type: 'text', text: visibleJson({ error: { code, message, nextSteps } }) }], isError: true };
}
