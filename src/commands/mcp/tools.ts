import { CloudCommand } from '#cli/command/cloud-command';
import { mcpFlags, mcpServerOfFlags } from '#cli/flags/mcp-flags';

export default class McpTools extends CloudCommand {
  static override summary = 'List the tools that an MCP server shows to a person.';
  static override examples = [
    '<%= config.bin %> mcp tools',
    '<%= config.bin %> mcp tools --as role:support --json',
    'SERVICE_MCP_TOKEN=… <%= config.bin %> mcp tools --mcp-url https://admin.example.com/mcp',
  ];
  static override flags = mcpFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(McpTools);
    const context = await this.createContext();
    const { listTools } = await import('#flows/mcp/list-mcp-tools');
    const { renderTools } = await import('#cli/rendering/render-mcp');
    try {
      this.present(await listTools(context, await mcpServerOfFlags(flags, this.invocation, context)), renderTools);
    } finally {
      await context.http.close();
    }
  }
}
