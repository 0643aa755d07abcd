import type { ServerResponse } from 'node:http';

export interface Refusal {
  readonly status: number;
  /** Code of the JSON-RPC error. */
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const parseErrorCode = -32_700;
export const invalidRequestCode = -32_600;
/** For refusals of the transport, before there is a request to answer. */
export const serverErrorCode = -32_000;

/** Answer a request that does not get as far as the protocol. */
export function refuse(response: ServerResponse, { status, code, message, headers = {} }: Refusal): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' });
  response.end(body);
}
