import * as z from 'zod';
import { noSuchTool, parseEnabledTools, parseReadOnly, type ToolName, toolNames } from '#contracts/mcp';
import { defaultMcpLimits, type McpLimits } from '../../surfaces/mcp/safeguards/call-limits.ts';
import { refusalOfOptions } from '../../user-code/refused-options.ts';
import type { McpSettings } from '../serve/mcp-serving.ts';

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
  /**
   * Neither lists nor runs tools that write, whatever the token of a client allows. Default: the environment variable
   * `SERVICE_MCP_READ_ONLY`, `true` or `false`; else false.
   */
  readonly readOnly?: boolean;
  /** What one person may do through one client. */
  readonly limits?: Partial<McpLimits>;
}

/** What the machine says where the options do not. */
export interface McpDefaults {
  /** Of `enabledTools`, as names with commas between. */
  readonly mcpEnabledTools: string | undefined;
  /** Of `readOnly`, as `true` or `false`. */
  readonly mcpReadOnly: string | undefined;
}

const countSchema = z.int('it must be a whole number').positive('it must be above 0');

const mcpOptionsSchema = z.strictObject({
  enabledTools: z
    .array(z.enum(toolNames, { error: ({ input }) => noSuchTool(input) }), 'it must be a list of names of tools')
    .optional(),
  basePath: z
    .string('it must be a text')
    .transform((path) =>
      path
        .trim()
        .replace(/\/{2,}/g, '/')
        .replace(/^\/|\/$/g, ''),
    )
    .refine((path) => /^([\w-]+(\/[\w-]+)*)?$/.test(path), 'its parts may have only letters, digits, - and _')
    .transform((path) => (path === '' ? '' : `/${path}`))
    .prefault(''),
  readOnly: z.boolean('it must be true or false').optional(),
  limits: z
    .strictObject({
      callsPerMinute: countSchema.nullable().default(defaultMcpLimits.callsPerMinute),
      writesPerMinute: countSchema.nullable().default(defaultMcpLimits.writesPerMinute),
      recordsPerCall: countSchema.default(defaultMcpLimits.recordsPerCall),
      markedRecordsPerCall: countSchema.nullable().default(defaultMcpLimits.markedRecordsPerCall),
      markedRecords: countSchema.nullable().default(defaultMcpLimits.markedRecords),
    })
    .prefault({}),
});

/** @throws `AGENT_OPTION_INVALID`, which names the option. */
export function parseMcpOptions(options: McpOptions, machine: McpDefaults): McpSettings {
  const parsed = mcpOptionsSchema.safeParse(options);
  if (!parsed.success) throw refusalOfOptions(mcpOptionsSchema, parsed.error);
  const { basePath, limits } = parsed.data;
  const { enabledTools = parseEnabledTools(machine.mcpEnabledTools) } = parsed.data;
  const { readOnly: isReadOnly = parseReadOnly(machine.mcpReadOnly) ?? false } = parsed.data;
  return { basePath, enabledTools, safety: { isReadOnly, limits } };
}
