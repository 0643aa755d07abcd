import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ApprovalsList extends CloudCommand {
  static override summary = 'List the requests for approvals in an environment.';
  static override description =
    'Those that you have made or may decide on, the newest first. They hold no form values.';
  static override examples = ['<%= config.bin %> approvals list --env production'];
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ApprovalsList);
    const context = await this.createContext();
    const { listApprovals } = await import('#flows/approvals/answer-requests');
    const { renderApprovals } = await import('#cli/rendering/render-approvals');
    this.present(await listApprovals(context, targetOf(flags, context)), renderApprovals);
  }
}
