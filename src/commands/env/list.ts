import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class EnvList extends CloudCommand {
  static override summary = 'List the environments of the project.';
  static override examples = ['<%= config.bin %> env list', '<%= config.bin %> env list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(EnvList);
    const context = await this.createContext();
    const { listEnvironments } = await import('#flows/environments/choose-environment');
    const { renderEnvironments } = await import('#cli/rendering/render-environments');
    this.present(await listEnvironments(context, flags.project ?? context.workingFolder), renderEnvironments);
  }
}
