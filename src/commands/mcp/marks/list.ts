import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpMarksList extends CloudCommand {
  static override summary =
    'List your assistants that have read text which people outside can write, and what they ask.';
  static override examples = ['<%= config.bin %> mcp marks list --env production'];
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(McpMarksList);
    const context = await this.createContext();
    const { listSessionMarks } = await import('#flows/mcp/session-marks');
    const { renderSessionMarks } = await import('#cli/rendering/render-mcp-marks');
    this.present(await listSessionMarks(context, targetOf(flags, context)), renderSessionMarks);
  }
}
