import { jsonOnly } from '#kernel/json/json-only';
import type { ActionResult, FileContent, ResultBuilder } from '../customizer/action-result.ts';
import { actionFailed } from './action-failure.ts';

/** The result builder of one run, and the headers that the code of the action adds with it. */
export interface RunResultBuilder {
  readonly builder: ResultBuilder;
  readonly headers: Readonly<Record<string, string>>;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the connection. */
const reservedHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding', 'trailer']);

export function createResultBuilder(): RunResultBuilder {
  const headers: Record<string, string> = {};
  const builder: ResultBuilder = {
    success: (message = '', options = {}) => ({
      type: 'success',
      message,
      ...(options.html === undefined ? {} : { html: options.html }),
      invalidated: options.invalidated ?? [],
    }),
    error: (message = 'Error', options = {}) => ({
      type: 'error',
      message,
      ...(options.html === undefined ? {} : { html: options.html }),
    }),
    webhook: (url, method = 'POST', webhookHeaders = {}, body = {}) => ({
      type: 'webhook',
      url,
      method,
      headers: webhookHeaders,
      body: jsonOnly('The body of a webhook', body),
    }),
    file: (content, name = 'file', mimeType = 'application/octet-stream') => {
      if (!isFileContent(content)) throw new TypeError('A file is made of a stream, of bytes or of text.');
      if (!headerValue.test(mimeType)) throw new TypeError(`"${mimeType}" is no media type.`);
      return { type: 'file', content, name, mimeType };
    },
    redirectTo: (path) => ({ type: 'redirect', path }),
    setHeader: (name, value) => {
      if (!headerName.test(name) || !headerValue.test(value) || reservedHeaders.has(name.toLowerCase())) {
        throw new TypeError(`"${name}" cannot be sent as a header: its name or its value is malformed.`);
      }
      headers[name.toLowerCase()] = value;
      return builder;
    },
  };
  return { builder, headers };
}

const resultTypes: ReadonlySet<unknown> = new Set<ActionResult['type']>([
  'success',
  'error',
  'webhook',
  'file',
  'redirect',
]);

/** What an action returned, where it is a result or nothing. Throws `CUSTOMIZATION_FAILED` for anything else. */
export function resultOf(returned: unknown): ActionResult | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (typeof returned === 'object' && 'type' in returned && resultTypes.has(returned.type)) {
    return returned as ActionResult;
  }
  throw actionFailed('An action returned something that no method of the result builder has made.');
}

function isFileContent(content: unknown): content is FileContent {
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof ReadableStream) return true;
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}
