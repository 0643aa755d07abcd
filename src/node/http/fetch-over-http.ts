import type { Http, HttpRequest } from '#kernel/ports/http';

/** Documents and keys of OpenID providers are a few kilobytes. What is larger would be parsed in the thread that serves. */
const maxAnswerBytes = 1024 * 1024;

/** What a library hands over in place of `fetch`. */
interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * A `fetch` for a library, over the product's own HTTP with its proxy, its deadline and its retries.
 *
 * @param moreHeaders for a request, besides those of the library.
 */
export function fetchOverHttp(
  http: Http,
  moreHeaders: (url: URL, method: string) => Readonly<Record<string, string>> = () => ({}),
): (url: string, options: FetchOptions) => Promise<Response> {
  return async (url, { method, headers, body }) => {
    const answer = await http.send({
      method: method as HttpRequest['method'],
      url,
      headers: { ...headers, ...moreHeaders(new URL(url), method) },
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      isRepeatable: method === 'GET',
    });
    if (answer.body.byteLength > maxAnswerBytes) {
      throw new RangeError(`the answer of ${new URL(url).host} is larger than ${maxAnswerBytes} bytes`);
    }
    const { 'content-encoding': _encoding, 'content-length': _length, ...kept } = answer.headers;
    return new Response(new Uint8Array(answer.body), { status: answer.status, headers: kept });
  };
}
