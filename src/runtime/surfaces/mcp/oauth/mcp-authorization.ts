import type { IncomingMessage, ServerResponse } from 'node:http';
import { mcpScopes } from '#contracts/mcp';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { isSentByOtherPage } from '#node/http/request-guards';
import { issuerOf, type McpPlace, pathOf, resourceOf } from '../mcp-routes.ts';
import type { McpAuthorization } from '../mcp-surface.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import { refuseOauth, sendProblemPage } from './oauth-http.ts';
import type { McpAuthorizationOptions } from './oauth-options.ts';

interface Route {
  /** Of the path below `<basePath>/oauth/`. */
  readonly pattern: RegExp;
  readonly methods: readonly string[];
  /** Programs in web pages call it: it takes no cookie. */
  readonly isForPrograms?: boolean;
  readonly handler: keyof AuthorizationServer;
}

const programs = { methods: ['POST'], isForPrograms: true };
const routes: readonly Route[] = [
  { pattern: /^authorize$/, methods: ['GET', 'POST'], handler: 'authorize' },
  { pattern: /^authorize\/[\w-]+$/, methods: ['GET'], handler: 'resume' },
  { pattern: /^consent\/[\w-]+$/, methods: ['GET', 'POST'], handler: 'consent' },
  { pattern: /^signed-in$/, methods: ['GET'], handler: 'signedIn' },
  { ...programs, pattern: /^token$/, handler: 'token' },
  { ...programs, pattern: /^register$/, handler: 'register' },
  { ...programs, pattern: /^revoke$/, handler: 'revoke' },
];

/** Metadata is answered at once. The rest is loaded with the first request for it, so that an agent without MCP clients never does. */
export function createMcpAuthorization(options: McpAuthorizationOptions): McpAuthorization {
  const { place, logger } = options;
  const documents = metadataDocumentsOf(place);
  const prefix = `${place.basePath}/oauth/`;
  let loading: Promise<AuthorizationServer> | undefined;
  const load = () => {
    loading ??= import('./authorization-server.ts').then((loaded) => loaded.createAuthorizationServer(options));
    return loading;
  };

  return {
    resourceMetadataUrl: resourceMetadataUrlOf(place),
    async answer(request, response, address) {
      const path = pathOf(request.url ?? '');
      const document = documents.get(path);
      if (document) return sendDocument(request, response, document);
      const below = path.startsWith(prefix) ? path.slice(prefix.length) : '';
      const route = routes.find(({ pattern }) => pattern.test(below));
      if (!route) return refuseOauth(response, 404, 'not_found', 'The MCP server has nothing here.');
      if (route.isForPrograms && isOpenToPages(request, response)) return;
      if (!route.methods.includes(request.method ?? '')) return refuseMethod(response, route.methods);
      if (!route.isForPrograms && request.headers.cookie !== undefined && isSentByOtherPage(request)) {
        return sendProblemPage(response, 403, 'A web page of another origin sent this request.');
      }
      try {
        const server = await load();
        await server[route.handler](request, response, address);
      } catch (error) {
        logger.log('Error', 'The authorization of the MCP server failed.', { error });
        if (!response.headersSent) refuseOauth(response, 500, 'server_error', 'Unexpected error');
      }
    },
  };
}

function sendDocument(request: IncomingMessage, response: ServerResponse, document: object): void {
  if (isOpenToPages(request, response)) return;
  const methods = ['GET', 'HEAD'];
  if (!methods.includes(request.method ?? '')) {
    refuseMethod(response, methods);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' });
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify(document));
}

/** Let programs in web pages of any origin read the answer. Whether this was the question that their browser asks before. */
function isOpenToPages(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('access-control-allow-origin', '*');
  if (request.method !== 'OPTIONS') return false;
  const headers = { 'access-control-allow-methods': 'GET, POST', 'access-control-allow-headers': '*' };
  response.writeHead(204, { ...headers, 'access-control-max-age': '3600' }).end();
  return true;
}

function refuseMethod(response: ServerResponse, methods: readonly string[]): void {
  const allow = methods.join(', ');
  refuseOauth(response, 405, 'invalid_request', `Only ${allow} is allowed here.`, { allow });
}

/** Where clients find the metadata of the endpoint (RFC 9728). */
function resourceMetadataUrlOf({ origin, basePath }: McpPlace): string {
  return `${origin}/.well-known/oauth-protected-resource${basePath}/mcp`;
}

/** The two documents that tell clients how to get a token, by path. They stand at the root of the host. */
export function metadataDocumentsOf(place: McpPlace): ReadonlyMap<string, object> {
  return new Map<string, object>([
    [`/.well-known/oauth-authorization-server${place.basePath}`, authorizationServer(place)],
    [new URL(resourceMetadataUrlOf(place)).pathname, protectedResource(place)],
  ]);
}

/** RFC 8414. */
function authorizationServer(place: McpPlace) {
  const issuer = issuerOf(place);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: mcpScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    // A machine of a developer may be offline, or behind a proxy. Clients that are not told of documents register, which needs no network.
    client_id_metadata_document_supported: !isLoopbackHost(new URL(place.origin).hostname),
  };
}

/** RFC 9728. */
function protectedResource(place: McpPlace) {
  return {
    resource: resourceOf(place),
    authorization_servers: [issuerOf(place)],
    scopes_supported: mcpScopes,
    bearer_methods_supported: ['header'],
  };
}
