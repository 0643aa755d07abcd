import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class FactorsList extends CloudCommand {
  static override summary = 'List what you sign in with beside your password.';
  static override description = 'The page that it names adds passkeys and authenticator apps.';
  static override examples = ['<%= config.bin %> factors list', '<%= config.bin %> factors list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(FactorsList);
    const context = await this.createContext();
    const { listFactors } = await import('#flows/people/second-factors');
    const { renderFactors } = await import('#cli/rendering/render-people');
    this.present(await listFactors(context, flags.project ?? context.workingFolder), renderFactors);
  }
}
