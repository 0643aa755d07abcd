import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class McpApprove extends CloudCommand {
  static override summary = 'Answer an assistant that asks before it goes on.';
  static override description =
    'Shows what the assistant wants to do and what it has read, and asks at the terminal. It has no flag that answers: the assistant could use it.';
  static override examples = ['<%= config.bin %> mcp approve 5b0e9c1e-7c0b-4c55-9d0e-1f7f3f3b2a10'];
  static override args = { id: string({ required: true, description: 'Id that the assistant was given.' }) };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(McpApprove);
    const context = await this.createContext();
    const { answerAsk } = await import('#flows/mcp/session-marks');
    const { decideAsk } = await import('#cli/asking/confirm-mcp');
    const { renderAnsweredAsk } = await import('#cli/rendering/render-mcp-marks');
    const decide = decideAsk(context, this.invocation.terminal);
    this.present(await answerAsk(context, { ...targetOf(flags, context), id: args.id, decide }), renderAnsweredAsk);
  }
}
