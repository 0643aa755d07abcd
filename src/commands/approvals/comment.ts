import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { approvalArgument } from '#cli/flags/people-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ApprovalsComment extends CloudCommand {
  static override summary = 'Say something about a request for an approval.';
  static override description = 'Who asked and who may decide read it.';
  static override examples = ['<%= config.bin %> approvals comment 12 "The customer is right" --env production'];
  static override args = {
    ...approvalArgument,
    text: string({ required: true, description: 'What you say.' }),
  };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ApprovalsComment);
    const context = await this.createContext();
    const { answerApproval } = await import('#flows/approvals/answer-requests');
    const { renderApproval } = await import('#cli/rendering/render-approvals');
    const answer = { ...targetOf(flags, context), id: args.id, act: 'comment', comment: args.text } as const;
    this.present(await answerApproval(context, answer), renderApproval);
  }
}
