import { parseEnabledTools, toolNamed } from '#contracts/enabled-tools';
import type { ToolName } from '#contracts/mcp';
import type { McpSettings } from '../serve/mcp-serving.ts';
import { invalidOption } from './agent-options.ts';

/** Options of `mountAiMcpServer`. */
export interface McpOptions {
  /**
   * The tools to serve; an empty list serves none. Default: the environment variable `SERVICE_MCP_ENABLED_TOOLS`, names with
   * commas between; else the ten of the specification. `listCollections`, `searchCollections`, `getRecord`, `aggregate` and
   * `getChart` are served only where they are named.
   */
  readonly enabledTools?: readonly ToolName[];
  /** Path in front of all routes: parts of letters, digits, `-` and `_`, such as `/ai`. Default: none. */
  readonly basePath?: string;
}

const known: readonly string[] = ['enabledTools', 'basePath'];

/** @throws `AGENT_OPTION_INVALID`, which names the option. */
export function parseMcpOptions(options: McpOptions, enabledByMachine: string | undefined): McpSettings {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidOption(unknown, `mountAiMcpServer takes only ${known.join(' and ')}`);
  const { enabledTools, basePath = '' } = options;
  return { basePath: normalizeBasePath(basePath), enabledTools: enabledNames(enabledTools, enabledByMachine) };
}

function enabledNames(
  listed: readonly string[] | undefined,
  enabledByMachine: string | undefined,
): readonly ToolName[] | undefined {
  if (listed !== undefined) {
    if (!Array.isArray(listed)) throw invalidOption('enabledTools', 'it must be a list of names of tools');
    return listed.map((name) =>
      toolNamed(name, (reason) => {
        throw invalidOption('enabledTools', reason);
      }),
    );
  }
  return parseEnabledTools(enabledByMachine);
}

/** `ai/` → `/ai`; nothing and `/` → nothing. */
function normalizeBasePath(basePath: unknown): string {
  if (typeof basePath !== 'string') throw invalidOption('basePath', 'it must be a text');
  const parts = basePath
    .trim()
    .split('/')
    .filter((part) => part !== '');
  if (parts.every((part) => /^[\w-]+$/.test(part))) return parts.map((part) => `/${part}`).join('');
  throw invalidOption('basePath', 'its parts may have only letters, digits, - and _');
}
