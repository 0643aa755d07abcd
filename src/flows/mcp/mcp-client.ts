import type { Client } from '@modelcontextprotocol/client';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { HttpRequest } from '#kernel/ports/http';
import type { FlowContext } from '../flow-context.ts';
import type { McpAccess } from './mcp-access.ts';

/** A tool may work as long as an agent lets it. */
export const toolDeadlineMs = 125_000;

const unauthorizedStatus = 401;

/** Talk to an MCP server as a client of the official SDK, in the newest revision that the server has. */
export async function withMcpClient<Result>(
  context: FlowContext,
  { url, token }: McpAccess,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  // Servers of the newest revision may refuse the greeting of the older ones.
  const versionNegotiation = { mode: 'auto' } as const;
  const client = new Client({ name: 'vendor-cloud', version: context.package.version }, { versionNegotiation });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
    fetch: (target, init) => fetchThrough(context, String(target), init),
  });
  try {
    await client.connect(transport);
    return await use(client);
  } catch (error) {
    throw isCloudError(error) ? error : refused(url, error);
  } finally {
    await client.close();
  }
}

/** The proxies and the certificates of this machine, for the SDK. */
async function fetchThrough({ http }: FlowContext, url: string, init: RequestInit = {}): Promise<Response> {
  const { status, headers, body } = await http.send({
    method: (init.method ?? 'GET') as HttpRequest['method'],
    url,
    headers: Object.fromEntries(new Headers(init.headers)),
    deadlineMs: toolDeadlineMs,
    ...(typeof init.body === 'string' ? { body: init.body } : {}),
    ...(init.signal ? { signal: init.signal } : {}),
  });
  const hasNoBody = status === 204 || status === 202 || status === 304;
  return new Response(hasNoBody ? null : new Uint8Array(body), { status, headers });
}

function refused(url: string, error: unknown): CloudError {
  const reason = error instanceof Error ? error.message : String(error);
  const isUnauthorized = error instanceof Error && 'status' in error && error.status === unauthorizedStatus;
  return cloudError(
    isUnauthorized ? 'MCP_TOKEN_REFUSED' : 'MCP_SERVER_REFUSED',
    `The MCP server at ${url} refused the request: ${reason}`,
    isUnauthorized
      ? ['Put a token for this server into SERVICE_MCP_TOKEN.']
      : ['Check the address, and see what the server takes: vendor-cloud mcp tools'],
    { cause: error },
  );
}
