import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ElevationsList extends CloudCommand {
  static override summary = 'List the roles that people take for a time in an environment.';
  static override description = 'Those that you have asked for or may decide on; for an administrator, all.';
  static override examples = ['<%= config.bin %> elevations list --env production'];
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ElevationsList);
    const context = await this.createContext();
    const { listElevations } = await import('#flows/people/elevate');
    const { renderElevations } = await import('#cli/rendering/render-elevations');
    this.present(await listElevations(context, targetOf(flags, context)), renderElevations);
  }
}
