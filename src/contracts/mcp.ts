import { cloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';

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

/** Whether the MCP server leaves out the tools that write. */
export const readOnlyVariable = 'SERVICE_MCP_READ_ONLY';

/** What `SERVICE_MCP_READ_ONLY` says; `undefined` where it is not set. Throws `AGENT_OPTION_INVALID`: a typo must not let anybody write. */
export function parseReadOnly(text: string | undefined): boolean | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `The environment variable ${readOnlyVariable} is invalid: it must be true or false.`,
    'Set it to true or to false, or remove it.',
  );
}

/** Tools of the MCP server, as names with commas between. */
export const enabledToolsVariable = 'SERVICE_MCP_ENABLED_TOOLS';

/** The tools that `SERVICE_MCP_ENABLED_TOOLS` names; `undefined` where it is not set. Throws `AGENT_OPTION_INVALID`. */
export function parseEnabledTools(text: string | undefined): readonly ToolName[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  return names
    ?.filter((name) => name !== '')
    .map((name) => {
      const tool = toolNames.find((known) => known === name);
      if (tool) return tool;
      throw cloudError(
        'AGENT_OPTION_INVALID',
        `The environment variable ${enabledToolsVariable} is invalid: ${noSuchTool(name)}.`,
        'Name tools with commas between, or remove the variable.',
      );
    });
}

/** Says that there is no tool of that name, and which one may be meant. */
export function noSuchTool(name: unknown): string {
  const nearest = typeof name === 'string' ? nearestName(name, toolNames) : undefined;
  const hint = nearest === undefined ? `the tools are ${toolNames.join(', ')}` : `the nearest one is "${nearest}"`;
  return `there is no tool "${String(name)}"; ${hint}`;
}
