import { parseEnabledTools, toolNamed } from '#contracts/enabled-tools';
import type { ToolName } from '#contracts/mcp';
import { defaultMcpLimits, type McpLimits } from '../../surfaces/mcp/safeguards/call-limits.ts';
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
  /** Neither lists nor runs tools that write, whatever the token of a client allows. Default false. */
  readonly readOnly?: boolean;
  /** What one person may do through one client. */
  readonly limits?: Partial<McpLimits>;
}

const known: readonly string[] = ['enabledTools', 'basePath', 'readOnly', 'limits'];
const knownLimits = Object.keys(defaultMcpLimits);

/** @throws `AGENT_OPTION_INVALID`, which names the option. */
export function parseMcpOptions(options: McpOptions, enabledByMachine: string | undefined): McpSettings {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw invalidOption(unknown, `mountAiMcpServer takes only ${known.join(', ')}`);
  const { enabledTools, basePath = '', readOnly = false, limits = {} } = options;
  if (typeof readOnly !== 'boolean') throw invalidOption('readOnly', 'it must be true or false');
  checkLimits(limits);
  return {
    basePath: normalizeBasePath(basePath),
    enabledTools: enabledNames(enabledTools, enabledByMachine),
    safety: { isReadOnly: readOnly, limits },
  };
}

function checkLimits(limits: unknown): void {
  if (typeof limits !== 'object' || limits === null) throw invalidOption('limits', 'it must be an object');
  for (const [name, value] of Object.entries(limits)) {
    const option = `limits.${name}`;
    if (!knownLimits.includes(name)) throw invalidOption(option, `the limits are ${knownLimits.join(', ')}`);
    const isOff = value === null && name !== 'recordsPerCall';
    if (isOff || (Number.isSafeInteger(value) && value > 0)) continue;
    throw invalidOption(option, 'it must be a whole number above 0');
  }
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
