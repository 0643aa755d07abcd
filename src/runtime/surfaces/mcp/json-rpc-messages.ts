import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTooDeep } from '#kernel/text/json-depth';
import { publicErrorOf } from '../request/public-error.ts';
import { hasHostReadBody, hostBodyOf, readBytes } from '../request/request-bodies.ts';

const maxBodyBytes = 4 * 1024 * 1024;

/** The message of a request, or the reason why there is none. */
export type ReadMessage = { readonly message: object } | { readonly refusal: Refusal };

/** Read the body of a request. A batch is refused: the protocol has none any more. */
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
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) return { message };
  const reason = 'Invalid request: the body must be one JSON-RPC message.';
  return { refusal: { status: 400, code: invalidRequestCode, message: reason } };
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
    return isTooDeep(text) ? undefined : JSON.parse(text);
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
