import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class UpgradeCommand extends CloudCommand {
  static override summary = 'Bring the newest version of this command line into the project.';
  static override examples = ['<%= config.bin %> upgrade', '<%= config.bin %> upgrade --dry-run'];
  static override flags = {
    ...projectFlags,
    'dry-run': boolean({ summary: 'Only say what would be done.', env: 'SERVICE_DRY_RUN' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(UpgradeCommand);
    const context = await this.createContext();
    const { upgrade } = await import('#flows/upgrade/upgrade');
    const { renderUpgrade } = await import('#cli/rendering/render-project');
    const folder = flags.project ?? context.workingFolder;
    this.present(await upgrade(context, { folder, isDryRun: flags['dry-run'] }), renderUpgrade);
  }
}
