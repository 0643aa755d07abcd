import { integer } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class PermissionsDiff extends CloudCommand {
  static override summary = 'Say what applying permissions.json would change in an environment.';
  static override description = 'Ends with exit code 1 when something would change.';
  static override examples = [
    '<%= config.bin %> permissions diff --env production',
    '<%= config.bin %> permissions diff --env production --log-days 30',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    'log-days': integer({
      summary: 'Also say what people did in the last days that the file would have refused.',
      env: 'SERVICE_LOG_DAYS',
      min: 1,
      max: 366,
      helpValue: '<n>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PermissionsDiff);
    const context = await this.createContext();
    const { comparePermissions } = await import('#flows/permissions/list-permissions');
    const { renderComparedPermissions } = await import('#cli/rendering/render-permissions');
    const comparison = await comparePermissions(context, {
      ...targetOf(flags, context),
      days: flags['log-days'],
    });
    this.present(comparison, renderComparedPermissions);
    const isEqual = comparison.removed.length + comparison.added.length === 0;
    if (!isEqual) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
