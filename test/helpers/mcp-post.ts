import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { ShopAgent } from './shop-agent.ts';

interface PostOptions {
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly method?: string;
  readonly path?: string;
}

/** A request as no well-behaved client would send it. */
export async function post(agent: ShopAgent, body: string | Uint8Array, options: PostOptions = {}) {
  const { token = agent.mcpToken, method = 'POST', path } = options;
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...options.headers,
  };
  const request = httpRequest(path === undefined ? agent.mcpUrl : new URL(path, agent.mcpUrl), { method, headers });
  request.on('error', () => undefined);
  request.end(method === 'POST' ? body : undefined);
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode as number, headers: response.headers as Record<string, string>, text };
}

/** A message of the protocol. */
export const message = (method: string, params: unknown = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** A request of the revision 2026-07-28, which carries what `initialize` used to settle. */
export function modern(method: string, params: Record<string, unknown> = {}, name?: string) {
  const revision = '2026-07-28';
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  return { body: message(method, { ...params, _meta: envelope }), options: { headers } };
}
