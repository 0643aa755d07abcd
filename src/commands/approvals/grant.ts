import { CloudCommand } from '#cli/command/cloud-command';
import { approvalArgument, commentFlag } from '#cli/flags/people-flags';
import { agentOfFlags, runFlags } from '#cli/flags/run-flags';

export default class ApprovalsGrant extends CloudCommand {
  static override summary = 'Grant the request of somebody for an approval, and run the action in their name.';
  static override description =
    'Shows what it is about, and asks at the terminal. It has no flag that answers: an assistant could use it. The agent of the project looks at everything again.';
  static override examples = ['<%= config.bin %> approvals grant 12 --as role:managers'];
  static override args = approvalArgument;
  static override flags = { ...runFlags, ...commentFlag };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ApprovalsGrant);
    const context = await this.createContext();
    const { grantApproval } = await import('#flows/approvals/answer-requests');
    const { confirmGrant } = await import('#cli/asking/confirm-mcp');
    const { renderGrantedApproval } = await import('#cli/rendering/render-approvals');
    const agent = await agentOfFlags(flags, this.invocation, context);
    const confirm = confirmGrant(context, this.invocation.terminal);
    const grant = { ...agent, id: args.id, comment: flags.comment, confirm };
    this.present(await grantApproval(context, grant), renderGrantedApproval);
  }
}
