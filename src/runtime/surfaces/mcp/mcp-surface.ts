import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { requireOneHost } from '#node/http/request-guards';
import type { McpAsker } from '../request/mcp-asker.ts';
import type { RequestLimits } from '../request/request-limits.ts';
import type { Telemetry } from '../request/telemetry.ts';
import { invalidRequestCode, refuse } from './json-rpc-messages.ts';
import type { McpEndpoint, McpEndpointOptions } from './mcp-endpoint.ts';
import { McpRequests } from './mcp-requests.ts';
import { clientAddressBehind, type McpPart, type McpPlace, mcpPartAt, mcpRouteOf, resourceOf } from './mcp-routes.ts';

/** Answers the requests for tokens, and says where to get them. */
export interface McpAuthorization {
  answer(request: IncomingMessage, response: ServerResponse, address: string): Promise<void>;
  /** Address of the metadata of the endpoint (RFC 9728), for challenges. */
  readonly resourceMetadataUrl: string;
}

export interface McpSurfaceOptions extends Omit<McpEndpointOptions, 'url' | 'hostnames' | 'resourceMetadataUrl'> {
  readonly basePath: string;
  /**
   * Where clients reach it. Asked at the first request. Throws `AGENT_OPTION_INVALID` where nobody knows.
   *
   * @param askedAt origin of the request, where its host is this machine.
   */
  readonly place: (askedAt: string | undefined) => McpPlace;
  readonly limits: RequestLimits;
  readonly telemetry: Telemetry | undefined;
  readonly trustedProxies: readonly string[];
  /** Loads the authorization server. Without it, tokens come from elsewhere. */
  readonly openAuthorization?: ((place: McpPlace) => Promise<McpAuthorization>) | undefined;
}

/** The MCP server of an agent, behind its mounts or a server of its own. */
export interface McpSurface {
  /** Whether a request is for it. */
  covers(url: string): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Answer a person of the REST API as the endpoint answers a client. Throws `REQUEST_INVALID` or `MCP_LIMIT_REACHED`. */
  answerPerson(message: unknown, asker: McpAsker): Promise<object>;
  /** End what is in progress. */
  close(): Promise<void>;
}

interface LoadedParts {
  readonly endpoint: McpEndpoint;
  readonly authorization: McpAuthorization | undefined;
}

/** Neither the protocol nor the authorization server is loaded before the first request. */
export function createMcpSurface(options: McpSurfaceOptions): McpSurface {
  const { basePath, place, trustedProxies } = options;
  const requests = new McpRequests({ ...options, clientAddress: clientAddressBehind(trustedProxies) });
  let loading: Promise<LoadedParts> | undefined;
  const load = async (askedAt: string | undefined): Promise<LoadedParts> => {
    const here = place(askedAt);
    const { createMcpEndpoint } = await import('./mcp-endpoint.ts');
    const authorization = await options.openAuthorization?.(here);
    const { hostname } = new URL(here.origin);
    const endpoint = createMcpEndpoint({
      ...options,
      url: resourceOf(here),
      hostnames: ['localhost', '127.0.0.1', '[::1]', hostname],
      resourceMetadataUrl: authorization?.resourceMetadataUrl,
    });
    return { endpoint, authorization };
  };
  const loaded = (askedAt: string | undefined): Promise<LoadedParts> => {
    loading ??= load(askedAt).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    covers: (url) => mcpPartAt(url, basePath) !== undefined,
    answer: (request, response) => {
      const { url = '/' } = request;
      const part: McpPart | undefined = mcpPartAt(url, basePath);
      requests.handle(request, response, mcpRouteOf(url, basePath), async (received) => {
        requireOneHost(request);
        const { endpoint, authorization } = await loaded(loopbackOriginOf(request));
        if (!endpoint.isHostAllowed(request, response)) return;
        if (part === 'endpoint') await endpoint.answer(received);
        else if (part === 'authorization' && authorization) {
          received.bodyArrived();
          await authorization.answer(request, response, received.address);
        } else refuse(response, { status: 404, code: invalidRequestCode, message: 'There is nothing at this path.' });
      });
    },
    answerPerson: async (message, asker) => {
      const { endpoint } = await loaded(asker.askedAt);
      return endpoint.answerPerson(message, asker);
    },
    close: async () => {
      // The request that loaded it has been answered with its error; then nothing is to be closed.
      const parts = await loading?.catch(() => undefined);
      loading = undefined;
      await parts?.endpoint.close();
    },
  };
}

/** The origin that a request names, where it is one of this machine: from elsewhere the header proves nothing. */
function loopbackOriginOf({ headers: { host = '' }, socket }: IncomingMessage): string | undefined {
  const scheme = socket instanceof TLSSocket ? 'https' : 'http';
  const url = URL.parse(`${scheme}://${host}`);
  return url && isLoopbackHost(url.hostname) && url.pathname === '/' ? url.origin : undefined;
}
