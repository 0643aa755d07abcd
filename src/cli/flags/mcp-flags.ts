import { string } from '@oclif/core/flags';
import type { McpServerInput } from '#flows/mcp/mcp-access';
import type { CliContext } from '../invocation/cli-context.ts';
import { developerOf } from '../invocation/developer.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { personFlags, projectFlags } from './project-flags.ts';

/** The flags of commands that ask an MCP server. */
export const mcpFlags = {
  ...projectFlags,
  ...personFlags,
  'mcp-url': string({
    summary: 'Any MCP server, in place of that of the project. Its token is read from SERVICE_MCP_TOKEN.',
    env: 'SERVICE_MCP_URL',
    helpValue: '<address>',
  }),
};

interface McpFlags {
  readonly project?: string | undefined;
  readonly as?: string | undefined;
  readonly 'mcp-url'?: string | undefined;
}

/** The server and the person that the flags name. */
export async function mcpServerOfFlags(
  { project, as, 'mcp-url': url }: McpFlags,
  { interrupted }: Invocation,
  context: CliContext,
): Promise<McpServerInput> {
  const folder = project ?? context.workingFolder;
  return { folder, as, url, developer: await developerOf(context), signal: interrupted };
}
