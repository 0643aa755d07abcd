import { CloudCommand } from '#cli/command/cloud-command';
import { approvalArgument, commentFlag } from '#cli/flags/people-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ApprovalsRefuse extends CloudCommand {
  static override summary = 'Refuse the request of somebody for an approval.';
  static override description = 'People whose role may approve the action may.';
  static override examples = ['<%= config.bin %> approvals refuse 12 --comment "Not this month" --env production'];
  static override args = approvalArgument;
  static override flags = { ...projectFlags, ...environmentFlags, ...commentFlag };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ApprovalsRefuse);
    const context = await this.createContext();
    const { answerApproval } = await import('#flows/approvals/answer-requests');
    const { renderApproval } = await import('#cli/rendering/render-approvals');
    const answer = { ...targetOf(flags, context), id: args.id, act: 'refuse', comment: flags.comment } as const;
    this.present(await answerApproval(context, answer), renderApproval);
  }
}
