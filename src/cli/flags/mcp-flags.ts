import { boolean, integer, string } from '@oclif/core/flags';
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

/** What a connected program may do at most. */
export const clientLimitFlags = {
  collections: string({
    summary: 'The only collections that it may use, with commas between.',
    env: 'SERVICE_COLLECTIONS',
    helpValue: '<names>',
  }),
  'read-only': boolean({ summary: 'It may only browse and read.', env: 'SERVICE_READ_ONLY' }),
  tools: string({
    summary: 'The only MCP tools that it may call, with commas between.',
    env: 'SERVICE_TOOLS',
    helpValue: '<names>',
  }),
  'records-per-call': integer({
    summary: 'How many records one call may list, change or name.',
    env: 'SERVICE_RECORDS_PER_CALL',
    min: 1,
    helpValue: '<n>',
  }),
  'writes-per-hour': integer({
    summary: 'How many calls an hour may write or run an action.',
    env: 'SERVICE_WRITES_PER_HOUR',
    min: 0,
    helpValue: '<n>',
  }),
  'counts-as': string({
    summary: 'The client of the rights that it counts as; administrators may say so. Empty for its own id.',
    env: 'SERVICE_COUNTS_AS',
    helpValue: '<name>',
  }),
  'no-limits': boolean({
    summary: 'Take all limits away that were set for it. The rights of the environment still hold.',
    env: 'SERVICE_NO_LIMITS',
    exclusive: ['collections', 'read-only', 'tools', 'records-per-call', 'writes-per-hour'],
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
