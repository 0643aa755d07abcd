import { jsonOnly } from '#kernel/json/json-only';
import { unknownOption } from '#kernel/text/unknown-option';
import type { ActionResult, FileContent, ResultBuilder } from '../customizer/action-result.ts';
import { isRecord } from '../query/shape-record.ts';
import { actionFailed } from './action-code.ts';

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
    success: (message = '', options) => {
      mustBe('The message', isText(message), 'a text');
      if (options === undefined) return { type: 'success', message, invalidated: [] };
      checkOptions('success', options, ['html', 'invalidated']);
      const { html, invalidated = [] } = options;
      mustBe('"invalidated"', Array.isArray(invalidated) && invalidated.every(isText), 'a list of names of relations');
      return { type: 'success', message, ...(html === undefined ? {} : { html }), invalidated };
    },
    error: (message = 'Error', options) => {
      mustBe('The message', isText(message), 'a text');
      if (options === undefined) return { type: 'error', message };
      checkOptions('error', options, ['html']);
      return { type: 'error', message, ...(options.html === undefined ? {} : { html: options.html }) };
    },
    webhook: (url, method = 'POST', webhookHeaders = {}, body = {}) => {
      mustBe('The address of a webhook', isText(url), 'a text');
      mustBe('The method of a webhook', isText(method), 'a text');
      const isHeaders = isRecord(webhookHeaders) && Object.values(webhookHeaders).every(isText);
      mustBe('The headers of a webhook', isHeaders, 'an object of texts');
      return { type: 'webhook', url, method, headers: webhookHeaders, body: jsonOnly('The body of a webhook', body) };
    },
    file: (content, name = 'file', mimeType = 'application/octet-stream') => {
      if (!isFileContent(content)) throw new TypeError('A file is made of a stream, of bytes or of text.');
      mustBe('The name of a file', isText(name), 'a text');
      if (!headerValue.test(mimeType)) throw new TypeError(`"${mimeType}" is no media type.`);
      return { type: 'file', content, name, mimeType };
    },
    redirectTo: (path) => {
      mustBe('The path of a redirection', isText(path), 'a text');
      return { type: 'redirect', path };
    },
    setHeader: (name, value) => {
      mustBe('A header', isText(name) && isText(value), 'a name and a text');
      if (!headerName.test(name) || !headerValue.test(value) || reservedHeaders.has(name.toLowerCase())) {
        throw new TypeError(`"${name}" cannot be sent as a header: its name or its value is malformed.`);
      }
      headers[name.toLowerCase()] = value;
      return builder;
    },
  };
  return { builder, headers };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Types are not checked in a project that is written in JavaScript, and clients get what the builder was given. */
function mustBe(what: string, is: boolean, wanted: string): void {
  if (!is) throw new TypeError(`${what} must be ${wanted}.`);
}

function checkOptions(method: string, options: object, known: readonly string[]): void {
  mustBe(`The options of "${method}"`, isRecord(options), 'an object');
  const problem = unknownOption(options, known);
  if (problem !== undefined) throw new TypeError(`"${method}" has ${problem}`);
  const { html } = options as { readonly html?: unknown };
  mustBe('"html"', html === undefined || isText(html), 'a text');
}

const resultTypes: ReadonlySet<unknown> = new Set<ActionResult['type']>([
  'success',
  'error',
  'webhook',
  'file',
  'redirect',
]);

/** Check what an action returned: a result, or nothing. Throws `CUSTOMIZATION_FAILED` for anything else. */
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
