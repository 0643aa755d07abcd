import type { CallToolResult } from '@modelcontextprotocol/server';
import { catalogue } from '#kernel/errors/catalogue';
import { isCloudError } from '#kernel/errors/cloud-error';
import { publicErrorOf } from '../../request/public-error.ts';
import { fenced, visibleJson } from '../render/answer-text.ts';

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

/** An error as a model gets it. */
interface ToolError {
  readonly code: string;
  readonly message: string;
  /** The field or the argument that is wrong. */
  readonly field?: string;
  /** The fields that have changed. */
  readonly fields?: readonly string[];
  /** What else is wrong with the same input. */
  readonly others?: readonly Pick<ToolError, 'message' | 'field'>[];
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterSeconds?: number;
  readonly nextSteps: readonly string[];
}

/** Errors repeat what a client sent, which may be long. */
const longestMessage = 1_000;

/** Shape any error for a model: without stack, SQL and addresses. */
function toolError(thrown: unknown): ToolError {
  const { code, detail, nextSteps, data = {} } = publicErrorOf(thrown);
  const message = detail.length > longestMessage ? `${detail.slice(0, longestMessage)}…` : detail;
  const others = isCloudError(thrown) ? thrown.others.map(briefly) : [];
  const { field, fields, parameter, retryAfterSeconds } = data;
  const named = field ?? parameter;
  return {
    code,
    message,
    ...(typeof named === 'string' ? { field: named } : {}),
    ...(typeof fields === 'object' && fields !== null ? { fields: Object.keys(fields) } : {}),
    ...(others.length > 0 ? { others } : {}),
    retryable: catalogue[code].recover === 'retry',
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    nextSteps,
  };
}

function briefly(thrown: unknown): Pick<ToolError, 'message' | 'field'> {
  const { message, field } = toolError(thrown);
  return { message, ...(field === undefined ? {} : { field }) };
}
