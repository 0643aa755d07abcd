import { CloudCommand } from '#cli/command/cloud-command';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpMarksClear extends CloudCommand {
  static override summary = 'Let an assistant go on without asking, whatever it has read.';
  static override description =
    'Shows what the assistant has read, and asks at the terminal. It has no flag that answers: the assistant could use it.';
  static override examples = ['<%= config.bin %> mcp marks clear 3'];
  static override args = {
    id: numberArgument({ required: true, description: 'Number of the mark, as "mcp marks list" shows it.' }),
  };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(McpMarksClear);
    const context = await this.createContext();
    const { clearSessionMark } = await import('#flows/mcp/session-marks');
    const { confirmClearedMark } = await import('#cli/asking/confirm-mcp');
    const { renderClearedMark } = await import('#cli/rendering/render-mcp-marks');
    const confirm = confirmClearedMark(context, this.invocation.terminal);
    const cleared = await clearSessionMark(context, { ...targetOf(flags, context), id: args.id, confirm });
    this.present(cleared, renderClearedMark);
  }
}
