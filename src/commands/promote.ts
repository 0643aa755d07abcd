import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { swapFlags } from '#cli/flags/deployment-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class Promote extends CloudCommand {
  static override summary = 'Serve in one environment the very build that another one serves.';
  static override description =
    'Shows what is live and what would be, and asks. Nothing is built or uploaded; the environment keeps its own variables.';
  static override examples = ['<%= config.bin %> promote --from staging --to production'];
  static override flags = {
    ...projectFlags,
    ...swapFlags,
    from: string({
      summary: 'Name of the environment whose version is taken, instead of the one of the token.',
      env: 'SERVICE_FROM',
      helpValue: '<name>',
    }),
    to: string({
      summary: 'Name of the environment that should serve it.',
      env: 'SERVICE_TO',
      required: true,
      helpValue: '<name>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Promote);
    const context = await this.createContext(flags.timeout * 1000);
    const { promote } = await import('#flows/deployments/promote');
    const { confirmSwap } = await import('#cli/asking/confirm-change');
    const { renderPromoted } = await import('#cli/rendering/render-deployments');
    const { from, to } = flags;
    const { terminal, environment } = this.invocation;
    const promoted = await promote(context, {
      folder: flags.project ?? context.workingFolder,
      from,
      to,
      timeoutMs: flags.timeout * 1000,
      confirm: confirmSwap(context, terminal, { isConfirmed: flags.yes, called: environment.arguments }),
    });
    this.present(promoted, renderPromoted);
  }
}
