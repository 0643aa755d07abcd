import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { invalidRequestCode, refuse } from './json-rpc-refusal.ts';
import { type McpTokenClaims, type McpTokens, readScope } from './mcp-token.ts';
import { createProtocolHandler, type ProtocolOptions } from './protocol-handler.ts';
import { readMessage } from './read-message.ts';

export interface McpEndpointOptions extends ProtocolOptions {
  readonly tokens: McpTokens;
  /** Address of the endpoint: the audience of its tokens. A function, because the port is known once the server listens. */
  readonly url: () => string;
  /** The host names of the server. Their pages may call it. */
  readonly hostnames: readonly string[];
}

export const mcpPath = '/mcp';

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers the requests of one HTTP server. */
export interface McpEndpoint {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** End what is in progress. */
  close(): Promise<void>;
}

/** The MCP endpoint. It decides who may talk to it; the protocol handler answers. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const handler = createProtocolHandler(options);
  const serve = toNodeHandler(handler, {
    onerror: (error) => options.logger.log('Error', 'The MCP server failed.', { error }),
  });
  const isHostAllowed: Guard = hostHeaderValidation([...options.hostnames]);
  const isOriginAllowed: Guard = originValidation([...options.hostnames]);
  return {
    close: () => handler.close(),
    answer: async (request, response) => {
      if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return;
      if (!isEndpoint(request, response)) return;
      const claims = await authenticate(request, response, options);
      if (!claims) return;
      const read = await readMessage(request);
      if ('refusal' in read) return refuse(response, read.refusal);
      // Tools get the caller only, and neither the token nor the client.
      const auth = { token: '', clientId: '', scopes: [...claims.scopes], extra: { claims: claims.caller } };
      await serve(Object.assign(request, { auth, method: 'POST', url: mcpPath }), response, read.message);
    },
  };
}

function isEndpoint(request: IncomingMessage, response: ServerResponse): boolean {
  const path = request.url?.split('?', 1)[0];
  if (path !== mcpPath && path !== `${mcpPath}/`) {
    refuse(response, { status: 404, code: invalidRequestCode, message: `The endpoint is ${mcpPath}.` });
    return false;
  }
  if (request.method === 'POST') return true;
  refuse(response, {
    status: 405,
    code: invalidRequestCode,
    message: 'Only POST is allowed.',
    headers: { allow: 'POST' },
  });
  return false;
}

/** The claims of a token that may use the endpoint; otherwise the request is answered with a challenge. */
async function authenticate(
  request: IncomingMessage,
  response: ServerResponse,
  { tokens, url }: McpEndpointOptions,
): Promise<McpTokenClaims | undefined> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) {
    challenge(response, 401, `scope="${readScope}"`, 'A bearer token is required.');
    return undefined;
  }
  const claims = await tokens.verify(token, url());
  if (!claims) {
    const message = 'The token is invalid, expired, or was made for something else.';
    challenge(response, 401, `error="invalid_token", error_description="${message}", scope="${readScope}"`, message);
    return undefined;
  }
  if (!claims.scopes.includes(readScope)) {
    const message = `The token lacks the scope ${readScope}.`;
    challenge(response, 403, `error="insufficient_scope", scope="${readScope}"`, message);
    return undefined;
  }
  return claims;
}

function challenge(response: ServerResponse, status: number, parameters: string, message: string): void {
  const headers = { 'www-authenticate': `Bearer ${parameters}` };
  refuse(response, { status, code: invalidRequestCode, message, headers });
}
