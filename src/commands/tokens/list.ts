import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class TokensList extends CloudCommand {
  static override summary = 'List the API tokens of the project.';
  static override description =
    'Marks those that expire within 14 days. --json also tells who created them, and from where they were used.';
  static override examples = ['<%= config.bin %> tokens list', '<%= config.bin %> tokens list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(TokensList);
    const context = await this.createContext();
    const { listTokens } = await import('#flows/tokens/manage-api-tokens');
    const { renderTokens } = await import('#cli/rendering/render-api-tokens');
    this.present(await listTokens(context, flags.project ?? context.workingFolder), renderTokens);
  }
}
