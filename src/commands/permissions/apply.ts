import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags, lockoutFlags } from '#cli/flags/confirm-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PermissionsApply extends CloudCommand {
  static override summary = 'Give an environment the rights of permissions.json.';
  static override description = 'Shows what changes and asks. Running agents follow the new rights at once.';
  static override examples = [
    '<%= config.bin %> permissions apply --env production',
    '<%= config.bin %> permissions apply --env production --yes --json',
    '<%= config.bin %> permissions apply --watched --env production',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...confirmFlags,
    ...lockoutFlags,
    watched: boolean({
      summary: 'Take the file that the environment is watched with, and end the watch.',
      env: 'SERVICE_WATCHED',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PermissionsApply);
    const context = await this.createContext();
    const { applyPermissions } = await import('#flows/permissions/change-permissions');
    const { confirmPermissions } = await import('#cli/asking/confirm-change');
    const { renderAppliedPermissions, renderChangedPermissions } = await import('#cli/rendering/render-permissions');
    const { terminal, environment } = this.invocation;
    const applied = await applyPermissions(context, {
      ...targetOf(flags, context),
      allowLockout: flags['allow-lockout'],
      isWatched: flags.watched,
      confirm: confirmPermissions(context, terminal, { isConfirmed: flags.yes, called: environment.arguments }),
    });
    this.present(applied, flags.watched ? renderChangedPermissions : renderAppliedPermissions);
  }
}
