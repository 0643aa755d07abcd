import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class EnvUse extends CloudCommand {
  static override summary = 'Choose the environment that the commands of this folder are about.';
  static override description =
    'The flag --env and the variable SERVICE_ENV still win. Only this copy of the project changes.';
  static override examples = ['<%= config.bin %> env use staging'];
  static override args = { name: string({ description: 'Name of the environment.', required: true }) };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EnvUse);
    const context = await this.createContext();
    const { useEnvironment } = await import('#flows/environments/choose-environment');
    const { renderUsedEnvironment } = await import('#cli/rendering/render-environments');
    const folder = flags.project ?? context.workingFolder;
    this.present(await useEnvironment(context, { folder, name: args.name }), renderUsedEnvironment);
  }
}
