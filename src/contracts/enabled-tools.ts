import { cloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import { type ToolName, toolNames } from './mcp.ts';

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
