import type { IncomingMessage } from 'node:http';
import { all, compile } from '@fastify/proxy-addr';

/** The part of the MCP server that answers a request. */
export type McpPart = 'endpoint' | 'authorization';

/**
 * The part that a request is for; `undefined` where it is for the application around the agent. Paths are compared as they
 * are in the request line: in the same case, and not decoded. A path in these namespaces that there is no route for gets 404
 * or 405, and never reaches the application.
 *
 * @param url Path and query, also with the origin in front, as proxies send it.
 * @param basePath as in `McpPlace`.
 */
export function mcpPartAt(url: string, basePath: string): McpPart | undefined {
  const path = pathOf(url);
  if (isAtOrBelow(path, `${basePath}/mcp`)) return 'endpoint';
  const namespaces =
    basePath === ''
      ? ['/oauth', '/.well-known']
      : [
          `${basePath}/oauth`,
          `/.well-known/oauth-authorization-server${basePath}`,
          `/.well-known/oauth-protected-resource${basePath}/mcp`,
        ];
  return namespaces.some((namespace) => isAtOrBelow(path, namespace)) ? 'authorization' : undefined;
}

/** The pattern of the path of a request, for telemetry: it holds no names or ids. */
export function mcpRouteOf(url: string, basePath: string): string {
  if (mcpPartAt(url, basePath) === 'endpoint') return `${basePath}/mcp`;
  return pathOf(url).startsWith('/.well-known') ? '/.well-known/*' : `${basePath}/oauth/*`;
}

/** The path of an address, as it was sent. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path;
}

function isAtOrBelow(path: string, namespace: string): boolean {
  return path === namespace || path.startsWith(`${namespace}/`);
}

/** The address of the client, as far as trusted proxies tell. */
export type ClientAddress = (request: IncomingMessage) => string;

/** @param trustedProxies Addresses and ranges whose `X-Forwarded-For` is believed. */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = compile([...trustedProxies]);
  return (request) => all(request, isTrusted).at(-1) ?? '';
}

/** Where clients reach the MCP server. */
export interface McpPlace {
  /** Scheme, host and port, without a slash behind: `https://admin.example.com`. */
  readonly origin: string;
  /** Path in front of all its routes, such as `/ai`; empty for none. */
  readonly basePath: string;
}

const endpointPath = '/mcp';

/** The authorization server, as its metadata and its tokens name it. */
export function issuerOf({ origin, basePath }: McpPlace): string {
  return `${origin}${basePath}`;
}

/** The endpoint of the protocol, which is the audience of its tokens. */
export function resourceOf(place: McpPlace): string {
  return `${issuerOf(place)}${endpointPath}`;
}

/** The authorization server of an endpoint. */
export function issuerOfResource(resource: string): string {
  return resource.slice(0, -endpointPath.length);
}
