import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class ScimList extends CloudCommand {
  static override summary =
    'List the tokens with which the company provisions people, and what was refused to them last.';
  static override examples = ['<%= config.bin %> scim list', '<%= config.bin %> scim list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ScimList);
    const context = await this.createContext();
    const { listScimTokens } = await import('#flows/people/manage-groups');
    const { renderScimTokens } = await import('#cli/rendering/render-groups');
    this.present(await listScimTokens(context, flags.project ?? context.workingFolder), renderScimTokens);
  }
}
