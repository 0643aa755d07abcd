import { integer } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { swapFlags } from '#cli/flags/deployment-flags';
import { numberArgument } from '#cli/flags/number-argument';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class Rollback extends CloudCommand {
  static override summary = 'Serve again what served before.';
  static override description =
    'Shows what is live and what would be, and asks. Swaps back to an earlier deployment, with the variables it had. Nothing is built or uploaded; databases and rights stay as they are.';
  static override examples = [
    '<%= config.bin %> rollback --env production',
    '<%= config.bin %> rollback 41 --env production --yes',
  ];
  static override args = {
    id: numberArgument({ description: 'Number of the deployment, instead of the one before.' }),
  };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...swapFlags,
    to: integer({
      summary: 'The same as the argument.',
      env: 'SERVICE_TO',
      min: 1,
      helpValue: '<number>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Rollback);
    const context = await this.createContext(flags.timeout * 1000);
    const { rollBack } = await import('#flows/deployments/roll-back');
    const { confirmSwap } = await import('#cli/asking/confirm-change');
    const { renderSwapped } = await import('#cli/rendering/render-deployments');
    const { terminal, environment } = this.invocation;
    const swapped = await rollBack(context, {
      ...targetOf(flags, context),
      to: args.id ?? flags.to,
      timeoutMs: flags.timeout * 1000,
      confirm: confirmSwap(context, terminal, { isConfirmed: flags.yes, called: environment.arguments }),
    });
    this.present(swapped, renderSwapped);
  }
}
