import { startHttpServer } from './http-server.ts';

/**
 * A way to a platform that loses the first answer to each kind of request that `isLost` names: the platform acts, and the
 * connection breaks.
 */
export async function startLosingProxy(
  platformUrl: string,
  isLost: (request: string) => boolean,
): Promise<{ readonly url: string; readonly lost: readonly string[] }> {
  const lost: string[] = [];
  const { origin } = await startHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = 'GET', url = '/', headers } = request;
    const answer = await fetch(`${platformUrl}${url}`, {
      method,
      headers: {
        authorization: String(headers.authorization),
        ...(headers['content-type'] ? { 'content-type': headers['content-type'] } : {}),
      },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const body = await answer.text();
    const named = `${method} ${url}`;
    if (isLost(named) && !lost.includes(named)) {
      lost.push(named);
      return void response.destroy();
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  });
  return { url: origin, lost };
}
