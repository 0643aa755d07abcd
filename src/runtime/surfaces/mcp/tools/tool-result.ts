import type { CallToolResult } from '@modelcontextprotocol/server';
import { toolError } from './tool-error.ts';

/** The answer of a tool: structured, and the same as text for clients that read only text. */
export function toolSuccess(value: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } };
}

/** The error and the next steps, for the model to act on. */
export function toolFailure(thrown: unknown): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify({ error: toolError(thrown) }) }], isError: true };
}
