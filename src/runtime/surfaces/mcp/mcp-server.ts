import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { refuse, serverErrorCode } from './json-rpc-refusal.ts';
import type { McpEndpoint, McpEndpointOptions } from './mcp-endpoint.ts';

export interface McpHttpServer {
  readonly server: Server;
  /** End what is in progress. */
  close(): Promise<void>;
}

/** The MCP endpoint on an HTTP server of its own that is not listening yet. The protocol is loaded at the first request. */
export function createMcpHttpServer(options: McpEndpointOptions): McpHttpServer {
  let endpoint: Promise<McpEndpoint> | undefined;
  const load = () => {
    endpoint ??= import('./mcp-endpoint.ts').then(({ createMcpEndpoint }) => createMcpEndpoint(options));
    return endpoint;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => (await load()).answer(request, response);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      // When the client has gone away, its body never ends, and no answer can be sent.
      if (request.destroyed && !request.complete) return;
      options.logger.log('Error', 'The MCP server failed.', { error });
      if (!response.headersSent) refuse(response, { status: 500, code: serverErrorCode, message: 'Unexpected error' });
    });
  });
  return { server, close: async () => (await endpoint)?.close() };
}
