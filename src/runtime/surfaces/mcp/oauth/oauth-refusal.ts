import type { ServerResponse } from 'node:http';

/** Answer with an error in the form of OAuth. */
export function refuseOauth(
  response: ServerResponse,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, { ...own, ...headers });
  response.end(JSON.stringify({ error, error_description: description }));
}
