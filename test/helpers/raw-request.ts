import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/**
 * Send a request whose header lines are exactly these, `Host` included: programs of HTTP add lines, and send none twice.
 *
 * @param lines `Name: value`.
 */
export async function rawRequest(
  url: string,
  lines: readonly string[],
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): Promise<RawAnswer> {
  const { hostname, port, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const own = ['Connection: close', ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`])];
  socket.write([`${method} ${pathname}${search} HTTP/1.1`, ...lines, ...own, '', body].join('\r\n'));
  const answer = await text(socket);
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.slice(0, end);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body: answer.slice(end + 4) };
}
