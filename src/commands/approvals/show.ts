import { CloudCommand } from '#cli/command/cloud-command';
import { approvalArgument } from '#cli/flags/people-flags';
import { agentOfFlags, runFlags } from '#cli/flags/run-flags';

export default class ApprovalsShow extends CloudCommand {
  static override summary = 'Show what a request for an approval is about: the form, and the records.';
  static override description =
    'The agent of the project shows it to who asked, and to who may approve it and read the records.';
  static override examples = ['<%= config.bin %> approvals show 12 --as role:managers'];
  static override args = approvalArgument;
  static override flags = runFlags;

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ApprovalsShow);
    const context = await this.createContext();
    const { showApproval } = await import('#flows/approvals/answer-requests');
    const { renderApprovalContent } = await import('#cli/rendering/render-approvals');
    const agent = await agentOfFlags(flags, this.invocation, context);
    this.present(await showApproval(context, { ...agent, id: args.id }), renderApprovalContent);
  }
}
