import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** An answer whose body nobody has read yet. */
export async function openResponse(url: string, token: string): Promise<IncomingMessage> {
  const sent = request(url, { headers: { authorization: `Bearer ${token}`, te: 'trailers' } }).end();
  const [response] = await once(sent, 'response');
  return response;
}
