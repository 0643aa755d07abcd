import type { IncomingMessage } from 'node:http';
import { isTooDeep } from '#kernel/text/json-depth';
import { readBytes } from '../request/read-bytes.ts';
import { hasHostReadBody, hostBodyOf } from '../request/request-bodies.ts';
import { invalidRequestCode, parseErrorCode, type Refusal } from './json-rpc-refusal.ts';

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

function parse(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return isTooDeep(text) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
