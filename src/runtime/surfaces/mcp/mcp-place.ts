/** Where clients reach the MCP server. */
export interface McpPlace {
  /** Scheme, host and port, without a slash behind: `https://admin.example.com`. */
  readonly origin: string;
  /** Path in front of all its routes, such as `/ai`; empty for none. */
  readonly basePath: string;
}

/** The endpoint of the protocol, which is the audience of its tokens. */
export function resourceOf({ origin, basePath }: McpPlace): string {
  return `${origin}${basePath}/mcp`;
}
