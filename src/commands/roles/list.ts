import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class RolesList extends CloudCommand {
  static override summary = 'List the roles of the project, and how many people have each.';
  static override description = 'Roles are made by the rights that name them: vendor-cloud permissions apply.';
  static override examples = ['<%= config.bin %> roles list', '<%= config.bin %> roles list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(RolesList);
    const context = await this.createContext();
    const { listRoles } = await import('#flows/people/manage-teams');
    const { renderRoles } = await import('#cli/rendering/render-people');
    this.present(await listRoles(context, flags.project ?? context.workingFolder), renderRoles);
  }
}
