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
