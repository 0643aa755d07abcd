import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PermissionsList extends CloudCommand {
  static override summary = 'Show what each role may do in an environment.';
  static override examples = ['<%= config.bin %> permissions list --env production --role support'];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    role: string({ summary: 'Show only this role.', env: 'SERVICE_ROLE', helpValue: '<name>' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PermissionsList);
    const context = await this.createContext();
    const { listPermissions } = await import('#flows/permissions/list-permissions');
    const { renderPermissions } = await import('#cli/rendering/render-permissions');
    const listed = await listPermissions(context, { ...targetOf(flags, context), role: flags.role });
    this.present(listed, renderPermissions);
  }
}
