import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { isInputRequiredResult, type McpHttpHandler } from '@modelcontextprotocol/server';
import { mcpScopes, type ToolName } from '#contracts/mcp';
import { type IpFilter, isForwarded } from '../request/ip-filter.ts';
import type { McpAsker } from '../request/mcp-asker.ts';
import { refusedLate } from '../request/request-limits.ts';
import { noDialogue } from './dialogue.ts';
import { invalidRequestCode, type Refusal, readMessage, refuse } from './json-rpc-messages.ts';
import type { McpRequest } from './mcp-requests.ts';
import { pathOf } from './mcp-routes.ts';
import type { McpTokenClaims, McpTokens } from './mcp-token.ts';
import { consoleClient, readPersonMessage } from './person-message.ts';
import { createProtocolHandler, type ProtocolOptions } from './protocol-handler.ts';
import { type QuickCall, quickAnswer, readQuickCall } from './quick-call.ts';
import { callTool } from './tools/call-tool.ts';
import { type EnabledTools, enableTools } from './tools/enabled-tools.ts';

export interface McpEndpointOptions extends Omit<ProtocolOptions, 'tools'> {
  /** Default: the ten of the specification. */
  readonly enabledTools: readonly ToolName[] | undefined;
  /** Default: the protocol with these tools. */
  readonly createHandler?: ((options: ProtocolOptions) => McpHttpHandler) | undefined;
  readonly tokens: McpTokens;
  /** Restricts the addresses of requests. Default: any address. */
  readonly ipFilter?: IpFilter | undefined;
  /** Address of the endpoint: the audience of its tokens. */
  readonly url: string;
  /** The host names of the server. Their pages may call it. */
  readonly hostnames: readonly string[];
  /** The document that tells clients where to get a token. Without it, tokens come from elsewhere. */
  readonly resourceMetadataUrl: string | undefined;
}

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Answers the requests of one HTTP server. */
export interface McpEndpoint {
  /** Whether the host is ours. Otherwise the request is answered. */
  isHostAllowed(request: IncomingMessage, response: ServerResponse): boolean;
  answer(received: McpRequest): Promise<void>;
  /** Answer a person of the REST API, who has shown there who they are. Throws `REQUEST_INVALID` or `MCP_LIMIT_REACHED`. */
  answerPerson(message: unknown, asker: Pick<McpAsker, 'claims' | 'signal'>): Promise<object>;
  /** End what is in progress. */
  close(): Promise<void>;
}

/** The MCP endpoint. It decides who may talk to it; the protocol handler answers. */
export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const path = new URL(options.url).pathname;
  const tools = enableTools(options.enabledTools, options.safeguards.isReadOnly);
  const handler = (options.createHandler ?? createProtocolHandler)({ ...options, tools });
  const serve = toNodeHandler(handler, {
    onerror: (error) => options.logger.log('Error', 'The MCP server failed.', { error }),
  });
  const isHostAllowed: Guard = hostHeaderValidation([...options.hostnames]);
  const isOriginAllowed: Guard = originValidation([...options.hostnames]);
  return {
    close: () => handler.close(),
    isHostAllowed,
    answer: async ({ request, response, address, signal, bodyArrived, readFrom }) => {
      if (!isOriginAllowed(request, response)) return;
      const misplaced = refusalOfPlace(request, path);
      if (misplaced) return refuse(response, misplaced);
      const found = await authenticate(request, tools, options);
      if ('refusal' in found) return refuse(response, found.refusal);
      const { claims } = found;
      await options.ipFilter?.check(address, isForwarded(request.headers));
      const limited = { userId: claims.caller.id, clientId: claims.clientId };
      await refusedLate(() => options.safeguards.limits.takeCall(limited));
      const read = await readMessage(request);
      bodyArrived();
      if ('refusal' in read) return refuse(response, read.refusal);
      const messages: readonly object[] = [read.message].flat();
      for (const _further of messages.slice(1)) await refusedLate(() => options.safeguards.limits.takeCall(limited));
      const lacking = messages.map((each) => scopeLacking(each, claims, tools, options)).find(Boolean);
      if (lacking) return refuse(response, lacking);
      namingAnswers(request);
      const quick = options.createHandler ? undefined : readQuickCall(read.message, request.headers, tools);
      if (quick && (await answerQuickly(quick, claims, { response, signal, readFrom }, options))) return;
      // Tools get the caller and the name of the client, and not the token.
      const { caller, clientId, scopes } = claims;
      const auth = { token: '', clientId, scopes: [...scopes], extra: { claims: caller, signal, readFrom } };
      await serve(Object.assign(request, { auth, method: 'POST', url: path }), response, read.message);
    },
    answerPerson: async (sent, { claims: person, signal }) => {
      const { body, headers } = readPersonMessage(sent, options.version);
      const claims = { ...person, client: consoleClient };
      const { id: clientId } = consoleClient;
      await refusedLate(() => options.safeguards.limits.takeCall({ userId: claims.id, clientId }));
      const authInfo = { token: '', clientId, scopes: [...mcpScopes], extra: { claims, signal } };
      const request = new Request(options.url, { method: 'POST', headers, body: JSON.stringify(body), signal });
      const answer = await handler.fetch(request, { authInfo, parsedBody: body });
      return (await answer.json()) as object;
    },
  };
}

/** Older revisions ask for both forms of an answer by name. A client that takes anything takes both. */
function namingAnswers(request: IncomingMessage): void {
  const { accept = '*/*' } = request.headers;
  const takesAnything = accept.split(',').some((type) => type.split(';')[0]?.trim() === '*/*');
  if (takesAnything) request.headers.accept = 'application/json, text/event-stream';
}

/** Call the tool, and answer as the protocol handler would. Whether that was enough: a question to the person is left to the handler. */
async function answerQuickly(
  quick: QuickCall,
  { caller: claims, clientId }: McpTokenClaims,
  { response, signal, readFrom }: Pick<McpRequest, 'response' | 'signal' | 'readFrom'>,
  options: McpEndpointOptions,
): Promise<boolean> {
  const dialogue = { ...noDialogue, canAsk: quick.canAsk };
  const result = await callTool({ ...quick, claims, clientId, signal, dialogue, readFrom }, options);
  if (isInputRequiredResult(result)) return false;
  if (response.writableEnded || response.destroyed) return true;
  const body = quickAnswer(quick, result, options.version);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
  return true;
}

function refusalOfPlace({ url = '/', method }: IncomingMessage, path: string): Refusal | undefined {
  const asked = pathOf(url);
  if (asked !== path && asked !== `${path}/`) {
    return { status: 404, code: invalidRequestCode, message: `The endpoint is ${path}.` };
  }
  if (method === 'POST') return undefined;
  return { status: 405, code: invalidRequestCode, message: 'Only POST is allowed.', headers: { allow: 'POST' } };
}

/** The claims of the token of a request, or the challenge to answer with. */
async function authenticate(
  { headers }: IncomingMessage,
  { scopes }: EnabledTools,
  options: McpEndpointOptions,
): Promise<{ readonly claims: McpTokenClaims } | { readonly refusal: Refusal }> {
  // A client sees the tools of its scopes only, so that it is asked at first which there are. The person may leave some out.
  const scope = scopes.join(' ');
  const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) {
    return { refusal: challenge(401, { scope }, 'A bearer token is required.', options) };
  }
  const claims = await options.tokens.verify(token, options.url);
  if (claims && mcpScopes.some((known) => claims.scopes.includes(known))) return { claims };
  if (claims) {
    const reason = 'The token has no scope of this server.';
    return { refusal: challenge(403, { error: 'insufficient_scope', scope }, reason, options) };
  }
  const message = 'The token is invalid, expired, or was made for something else.';
  return { refusal: challenge(401, { error: 'invalid_token', scope }, message, options) };
}

/** The challenge for a call of a tool that the token has no scope for. Clients ask for all that it names. */
function scopeLacking(
  message: object,
  { scopes }: McpTokenClaims,
  tools: EnabledTools,
  options: McpEndpointOptions,
): Refusal | undefined {
  const { method, params } = message as { readonly method?: unknown; readonly params?: { readonly name?: unknown } };
  const tool = method === 'tools/call' ? tools.find(params?.name) : undefined;
  if (!tool || scopes.includes(tool.scope)) return undefined;
  const needed = [...mcpScopes].filter((scope) => scope === tool.scope || scopes.includes(scope)).join(' ');
  const reason = `The tool "${tool.name}" needs a token with the scope ${tool.scope}.`;
  return challenge(403, { error: 'insufficient_scope', scope: needed }, reason, options);
}

function challenge(
  status: number,
  parameters: { readonly error?: string; readonly scope: string },
  message: string,
  { resourceMetadataUrl }: McpEndpointOptions,
): Refusal {
  const { error, scope } = parameters;
  const description = error === undefined ? {} : { error, error_description: message.replaceAll('"', "'") };
  const metadata = resourceMetadataUrl === undefined ? {} : { resource_metadata: resourceMetadataUrl };
  const named = Object.entries({ ...description, ...(scope === '' ? {} : { scope }), ...metadata }).map(
    ([name, value]) => `${name}="${value}"`,
  );
  const headers = { 'www-authenticate': `Bearer ${named.join(', ')}` };
  return { status, code: invalidRequestCode, message, headers };
}
