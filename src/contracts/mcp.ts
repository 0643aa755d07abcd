/** Rights that a token of the MCP server may carry. None includes another. */
export const mcpScopes = ['mcp:read', 'mcp:write', 'mcp:delete', 'mcp:action'] as const;

export type McpScope = (typeof mcpScopes)[number];

/** Those of a token that only reads. */
export const readingMcpScopes: readonly McpScope[] = ['mcp:read'];

/** The tools of the MCP server that are on unless `enabledTools` says otherwise. */
export const defaultToolNames = [
  'describeCollection',
  'list',
  'listRelated',
  'create',
  'update',
  'delete',
  'associate',
  'dissociate',
  'getActionForm',
  'executeAction',
] as const;

/** Every tool that can be on. */
export const toolNames = [
  ...defaultToolNames,
  'listCollections',
  'searchCollections',
  'getRecord',
  'aggregate',
  'getChart',
] as const;

export type ToolName = (typeof toolNames)[number];
