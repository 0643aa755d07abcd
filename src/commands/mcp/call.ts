import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { mcpFlags, mcpServerOfFlags } from '#cli/flags/mcp-flags';

export default class McpCall extends CloudCommand {
  static override summary = 'Call a tool of an MCP server, as an assistant would.';
  static override description =
    'The result is printed as JSON. Values of --set are read as JSON where they are JSON, and as text otherwise.';
  static override examples = [
    '<%= config.bin %> mcp call describeCollection --set collectionName=orders',
    `<%= config.bin %> mcp call list --arguments '{"collectionName": "orders", "pagination": {"size": 2}}'`,
    '<%= config.bin %> mcp call list --set collectionName=orders --as role:support',
  ];
  static override args = { tool: argument({ required: true, description: 'Name of the tool.' }) };
  static override flags = {
    ...mcpFlags,
    arguments: string({ summary: 'The arguments as a JSON object.', env: 'SERVICE_ARGUMENTS', helpValue: '<json>' }),
    set: string({
      summary: 'An argument.',
      env: 'SERVICE_SET',
      multiple: true,
      default: [],
      helpValue: '<name=value>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(McpCall);
    const context = await this.createContext();
    const { callTool } = await import('#flows/mcp/call-mcp-tool');
    const { renderCalledTool } = await import('#cli/rendering/render-mcp');
    const { toolArguments } = await import('#cli/flags/name-value-pairs');
    const given = toolArguments(flags.arguments, flags.set);
    try {
      const server = await mcpServerOfFlags(flags, this.invocation, context);
      this.present(await callTool(context, { ...server, tool: args.tool, arguments: given }), renderCalledTool);
    } finally {
      await context.http.close();
    }
  }
}
