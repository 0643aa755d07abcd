import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpClientsList extends CloudCommand {
  static override summary = 'List the programs that are connected to the MCP server of an environment.';
  static override description = 'Those that you have let in; for an administrator, those of everybody.';
  static override examples = ['<%= config.bin %> mcp clients list --env production'];
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(McpClientsList);
    const context = await this.createContext();
    const { listConnectedClients } = await import('#flows/mcp/connected-clients');
    const { renderConnectedClients } = await import('#cli/rendering/render-mcp');
    this.present(await listConnectedClients(context, targetOf(flags, context)), renderConnectedClients);
  }
}
