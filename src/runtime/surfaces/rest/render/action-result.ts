import { Readable } from 'node:stream';
import { jsonOnly } from '#kernel/json/json-only';
import { actionFailed } from '../../../actions/action-failure.ts';
import type { ActionResult, FileContent, ResultBuilder } from '../../../customizer/action-result.ts';
import type { RouteAnswer } from '../call/route.ts';
import { contentDisposition } from '../http/content-disposition.ts';
import { correlationHeader } from '../http/cors.ts';

/** A result builder for one call, and the headers it was told to add. */
export interface ActionResponse {
  readonly builder: ResultBuilder;
  readonly headers: Readonly<Record<string, string>>;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the connection itself is made of. */
const reservedHeaders: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding', 'trailer']);

export function createActionResponse(): ActionResponse {
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

/**
 * What an action's result looks like on the wire. No result counts as success.
 *
 * @throws `CUSTOMIZATION_FAILED` for what no method of the result builder has made.
 */
export function answerOfAction(
  result: ActionResult | undefined,
  headers: Readonly<Record<string, string>>,
): RouteAnswer {
  if (result === undefined || result === null) {
    return jsonAnswer(200, headers, { success: 'Success', refresh: { relationships: [] } });
  }
  switch (result.type) {
    case 'success': {
      const { message: success, html, invalidated: relationships } = result;
      return jsonAnswer(200, headers, { success, html, refresh: { relationships } });
    }
    case 'error':
      return jsonAnswer(400, headers, { error: result.message, html: result.html });
    case 'webhook': {
      const { type: _type, ...webhook } = result;
      return jsonAnswer(200, headers, { webhook });
    }
    case 'redirect':
      return jsonAnswer(200, headers, { redirectTo: result.path });
    case 'file':
      return { status: 200, headers: { ...fileHeaders(result), ...headers }, body: sendable(result.content) };
    default:
      throw actionFailed('An action returned something that no method of the result builder has made.');
  }
}

/** The web framework makes JSON only of what is called so; code may call it something else. */
function jsonAnswer(status: number, headers: Readonly<Record<string, string>>, body: object): RouteAnswer {
  return { status, headers, body: headers['content-type'] === undefined ? body : JSON.stringify(body) };
}

function fileHeaders({ name, mimeType }: { readonly name: string; readonly mimeType: string }) {
  const isText = /^text\/[^;]*$/i.test(mimeType);
  return {
    'content-type': isText ? `${mimeType}; charset=utf-8` : mimeType,
    'content-disposition': contentDisposition(name),
    // What the browser has to hand to the page besides what every answer lets it see.
    'access-control-expose-headers': `Content-Disposition, ${correlationHeader}`,
  };
}

function isFileContent(content: unknown): content is FileContent {
  if (typeof content === 'string' || content instanceof Uint8Array || content instanceof ReadableStream) return true;
  return typeof content === 'object' && content !== null && Symbol.asyncIterator in content;
}

function sendable(content: FileContent): Readable | Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (content instanceof ReadableStream) return Readable.fromWeb(content);
  if (content instanceof Readable) return content;
  if (Symbol.asyncIterator in content) return Readable.from(content, { objectMode: false });
  throw new TypeError('A file is made of a stream, of bytes or of text.');
}
