import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class GroupsList extends CloudCommand {
  static override summary = 'List what the groups of the company give in the project.';
  static override examples = ['<%= config.bin %> groups list', '<%= config.bin %> groups list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(GroupsList);
    const context = await this.createContext();
    const { listGroups } = await import('#flows/people/manage-groups');
    const { renderGroups } = await import('#cli/rendering/render-groups');
    this.present(await listGroups(context, flags.project ?? context.workingFolder), renderGroups);
  }
}
