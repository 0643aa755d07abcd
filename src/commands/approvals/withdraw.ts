import { CloudCommand } from '#cli/command/cloud-command';
import { approvalArgument } from '#cli/flags/people-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ApprovalsWithdraw extends CloudCommand {
  static override summary = 'Take back a request for an approval that you have made.';
  static override description = 'Nobody can grant it any more.';
  static override examples = ['<%= config.bin %> approvals withdraw 12 --env production'];
  static override args = approvalArgument;
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ApprovalsWithdraw);
    const context = await this.createContext();
    const { answerApproval } = await import('#flows/approvals/answer-requests');
    const { renderApproval } = await import('#cli/rendering/render-approvals');
    const answer = { ...targetOf(flags, context), id: args.id, act: 'withdraw' } as const;
    this.present(await answerApproval(context, answer), renderApproval);
  }
}
