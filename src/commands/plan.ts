import { CloudCommand } from '#cli/command/cloud-command';
import { againstFlags } from '#cli/flags/deployment-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PlanCommand extends CloudCommand {
  static override summary = 'Say what a push would change of what is live, and mark what may break others.';
  static override description = 'Changes nothing. The plan has an id: push --plan does this and nothing else.';
  static override examples = ['<%= config.bin %> plan --env production', '<%= config.bin %> plan --json'];
  static override flags = { ...projectFlags, ...environmentFlags, ...againstFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlanCommand);
    const context = await this.createContext();
    const { plan } = await import('#flows/plan/plan');
    const { renderPlan } = await import('#cli/rendering/render-plan');
    const input = { ...targetOf(flags, context), against: flags.against };
    this.present(await plan(context, input), renderPlan);
  }
}
