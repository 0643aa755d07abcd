/** Where the MCP server is for clients. */
export interface McpPlace {
  /** Scheme, host and port, such as `https://admin.example.com`. */
  readonly origin: string;
  /** What its paths begin with: empty, or such as `/ai`. */
  readonly basePath: string;
}

const endpointPath = '/mcp';

/** The authorization server, as its metadata and its tokens name it: without a slash at the end. */
export function issuerOf({ origin, basePath }: McpPlace): string {
  return origin + basePath;
}

/** The MCP endpoint: the audience of tokens. */
export function resourceOf(place: McpPlace): string {
  return issuerOf(place) + endpointPath;
}

/** The authorization server of an endpoint. */
export function issuerOfResource(resource: string): string {
  return resource.slice(0, -endpointPath.length);
}
