import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class DataReset extends CloudCommand {
  static override summary =
    'Bring the development database back to the start: without records, or as the sample shop was made.';
  static override description =
    'Asks for the name of the project first. The secret of a production environment is refused.';
  static override examples = ['<%= config.bin %> data reset', '<%= config.bin %> data reset --confirm my-admin --json'];
  static override flags = {
    ...projectFlags,
    confirm: string({
      summary: 'The name of the project, instead of typing it.',
      env: 'SERVICE_CONFIRM',
      helpValue: '<name>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataReset);
    const context = await this.createContext();
    const { resetData } = await import('#flows/data/reset-data');
    const { confirmReset } = await import('#cli/asking/confirm-change');
    const { renderReset } = await import('#cli/rendering/render-data-sources');
    const confirm = confirmReset(context, { given: flags.confirm, called: this.invocation.environment.arguments });
    this.present(await resetData(context, { folder: flags.project ?? context.workingFolder, confirm }), renderReset);
  }
}
