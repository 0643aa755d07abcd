import type { CallToolResult } from '@modelcontextprotocol/server';
import { fenced, visibleJson } from '../render/text-form.ts';
import { toolError } from './tool-error.ts';

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
  return { content: [{ type: 'text', text: visibleJson({ error: toolError(thrown) }) }], isError: true };
}
