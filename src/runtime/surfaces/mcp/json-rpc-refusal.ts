import type { ServerResponse } from 'node:http';
import { publicErrorOf } from '../request/public-error.ts';

export interface Refusal {
  readonly status: number;
  /** Code of the JSON-RPC error. */
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const parseErrorCode = -32_700;
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
