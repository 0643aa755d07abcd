import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTooDeep, parseExactly } from '#kernel/json/read-json';
import { publicErrorOf } from '../request/public-error.ts';
import { hasHostReadBody, hostBodyOf, readBytes } from '../request/request-bodies.ts';

const maxBodyBytes = 4 * 1024 * 1024;

/** A batch holds no more. Each of its messages counts as a request. */
const longestBatch = 50;

/** Revisions with batches. The first one with a header for its name has none any more, so a request without it may be a batch. */
const revisionsWithBatches: readonly unknown[] = [undefined, '2024-11-05', '2025-03-26'];

/** The message of a request, a batch of several, or the reason why there is none. */
export type ReadMessage = { readonly message: object | readonly object[] } | { readonly refusal: Refusal };

/** Read the body of a request. A batch is refused under the revisions that have none. */
export async function readMessage(request: IncomingMessage): Promise<ReadMessage> {
  const bytes = hasHostReadBody(request) ? bytesOf(hostBodyOf(request)) : await readBytes(request, maxBodyBytes);
  if (!bytes) {
    const message = `The body is larger than ${maxBodyBytes} bytes.`;
    return { refusal: { status: 413, code: invalidRequestCode, message, headers: { connection: 'close' } } };
  }
  const message = parse(bytes);
  if (message === undefined) {
    return {
      refusal: {
        status: 400,
        code: parseErrorCode,
        message: 'Parse error: the body is not valid JSON, or nested too deep.',
      },
    };
  }
  const reason = Array.isArray(message) ? batchProblem(message, request.headers['mcp-protocol-version']) : undefined;
  if (reason === undefined && typeof message === 'object' && message !== null) {
    return { message: Array.isArray(message) ? message.map(withArguments) : withArguments(message) };
  }
  const refused = reason ?? 'Invalid request: the body must be one JSON-RPC message.';
  return { refusal: { status: 400, code: invalidRequestCode, message: refused } };
}

function batchProblem(batch: readonly unknown[], version: unknown): string | undefined {
  if (!revisionsWithBatches.includes(version)) {
    return 'Invalid request: the body must be one JSON-RPC message. Batches ended with the revision 2025-03-26.';
  }
  if (batch.length === 0 || batch.length > longestBatch) {
    return `Invalid request: a batch has 1 to ${longestBatch} messages.`;
  }
  if (!batch.every(isMessage)) return 'Invalid request: every message of a batch must be an object.';
  const greets = batch.some(({ method }) => method === 'initialize');
  return greets ? 'Invalid request: "initialize" is in no batch.' : undefined;
}

interface Message {
  readonly method?: unknown;
  readonly params?: unknown;
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The message with arguments of a tool as an object: some clients send null for none, and some send them as JSON text. */
function withArguments(message: Message): object {
  const { method, params } = message;
  if (method !== 'tools/call' || !isMessage(params) || !('arguments' in params)) return message;
  const { arguments: sent, ...others } = params;
  const read = typeof sent === 'string' ? parse(Buffer.from(sent)) : sent;
  if (read === null) return { ...message, params: others };
  return read === sent || !isMessage(read) ? message : { ...message, params: { ...params, arguments: read } };
}

/** What a parser of the host application made of the body. */
function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    return isTooDeep(text) ? undefined : parseExactly(text);
  } catch {
    return undefined;
  }
}

export interface Refusal {
  readonly status: number;
  /** Code of the JSON-RPC error. */
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const parseErrorCode = -32_700;
export const invalidRequestCode = -32_600;
const internalErrorCode = -32_603;

const busyStatus = 503;

/** Any error, as a client may see it. */
export function refusalOf(error: unknown): Refusal {
  const { status, detail: message, data = {} } = publicErrorOf(error);
  const code = status < 500 ? invalidRequestCode : internalErrorCode;
  const { retryAfterSeconds: wait = status === busyStatus ? 1 : undefined } = data;
  return { status, code, message, ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }) };
}

/** Answer a request that does not get as far as the protocol. */
export function refuse(
  response: ServerResponse,
  { status, code, message, headers = {} }: Refusal,
  moreHeaders: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  response.writeHead(status, { ...headers, ...moreHeaders, 'content-type': 'application/json; charset=utf-8' });
  response.end(body);
}
