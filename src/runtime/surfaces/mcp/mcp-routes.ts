/** The part of the MCP server that answers a request. */
export type McpPart = 'endpoint' | 'authorization';

/**
 * The part that a request is for; `undefined` where it is for the application around the agent. Paths are compared as they
 * stand in the request line: in the same case, and not decoded. A path in these namespaces that there is no route for gets 404
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
