import { integer } from '@oclif/core/flags';
import { CloudCommand } from '#cli/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/project-flags';
import { renderDeployment } from '#cli/render-deployments';
import { rollBack } from '#flows/deployments/roll-back';

export default class Rollback extends CloudCommand {
  static override summary = 'Serve again what served before.';
  static override description =
    'Swaps back to an earlier deployment, with the variables it had. Nothing is built or uploaded.';
  static override examples = ['<%= config.bin %> rollback --env production', '<%= config.bin %> rollback --to 41'];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    to: integer({
      summary: 'Number of the deployment, instead of the one before.',
      env: 'SERVICE_TO',
      min: 1,
      helpValue: '<number>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Rollback);
    const context = this.createContext();
    this.present(await rollBack(context, { ...targetOf(flags, context), to: flags.to }), renderDeployment);
  }
}
