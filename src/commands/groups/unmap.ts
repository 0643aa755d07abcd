import { CloudCommand } from '#cli/command/cloud-command';
import { groupArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class GroupsUnmap extends CloudCommand {
  static override summary = 'Take away what a group of the company gives in the project.';
  static override description = 'What an administrator gave by hand stays. The last active administrator stays one.';
  static override examples = ['<%= config.bin %> groups unmap support'];
  static override args = groupArgument;
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(GroupsUnmap);
    const context = await this.createContext();
    const { unmapGroup } = await import('#flows/people/manage-groups');
    const { renderUnmappedGroup } = await import('#cli/rendering/render-groups');
    const folder = flags.project ?? context.workingFolder;
    this.present(await unmapGroup(context, { folder, group: args.group }), renderUnmappedGroup);
  }
}
