import type { FlowContext } from '../flow-context.ts';
import { type McpServerInput, withMcpServer } from './mcp-access.ts';
import { withMcpClient } from './mcp-client.ts';

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  /** Names of the arguments, required ones first. */
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

export interface ListedTools {
  readonly url: string;
  readonly server: string;
  readonly tools: readonly ListedTool[];
}

/** The tools of an MCP server, as a client of it sees them. */
export function listTools(context: FlowContext, input: McpServerInput): Promise<ListedTools> {
  return withMcpServer(context, input, (access) =>
    withMcpClient(context, access, async (client) => {
      const { name, version } = client.getServerVersion() ?? { name: 'unknown', version: '' };
      const { tools } = await client.listTools();
      return { url: access.url, server: `${name} ${version}`.trim(), tools: tools.map(listed) };
    }),
  );
}

interface ToolOfServer {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: { readonly properties?: object | undefined; readonly required?: readonly string[] | undefined };
  readonly annotations?:
    | { readonly readOnlyHint?: boolean | undefined; readonly destructiveHint?: boolean | undefined }
    | undefined;
}

/** A server that does not say is taken to change and to destroy, as the protocol has it. */
function listed({ name, description = '', inputSchema, annotations = {} }: ToolOfServer): ListedTool {
  const { required = [], properties = {} } = inputSchema;
  const isReadOnly = annotations.readOnlyHint ?? false;
  const names = Object.keys(properties).map((argument) => ({
    name: argument,
    isRequired: required.includes(argument),
  }));
  return {
    name,
    description,
    isReadOnly,
    isDestructive: !isReadOnly && (annotations.destructiveHint ?? true),
    arguments: names.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired)),
  };
}
