import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PermissionsWatch extends CloudCommand {
  static override summary = 'Say what a stricter file would refuse from now on, before anybody applies it.';
  static override description =
    'With a file, the platform begins to hold what people do against it. Nobody is refused anything. Without one, it says what the file would have refused so far.';
  static override examples = [
    '<%= config.bin %> permissions watch permissions.next.json --env production',
    '<%= config.bin %> permissions watch --env production',
    '<%= config.bin %> permissions watch --end --env production',
  ];
  static override args = {
    file: string({ description: 'The file to begin with. It takes the place of another one.' }),
  };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    end: boolean({ summary: 'End the watch, and say what it found.', env: 'SERVICE_END' }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PermissionsWatch);
    const context = await this.createContext();
    const { watchPermissions } = await import('#flows/permissions/watch-permissions');
    const { renderWatchedPermissions } = await import('#cli/rendering/render-permissions');
    const { file } = args;
    const watched = await watchPermissions(context, { ...targetOf(flags, context), file, isEnding: flags.end });
    this.present(watched, renderWatchedPermissions);
  }
}
