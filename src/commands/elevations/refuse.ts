import { CloudCommand } from '#cli/command/cloud-command';
import { elevationArgument } from '#cli/flags/people-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ElevationsRefuse extends CloudCommand {
  static override summary = 'Refuse an elevation that somebody else has asked for.';
  static override description = 'Administrators of the project and people with the role may.';
  static override examples = ['<%= config.bin %> elevations refuse 12 --env production'];
  static override args = elevationArgument;
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ElevationsRefuse);
    const context = await this.createContext();
    const { changeElevation } = await import('#flows/people/elevate');
    const { renderElevation } = await import('#cli/rendering/render-elevations');
    const target = targetOf(flags, context);
    this.present(await changeElevation(context, { ...target, id: args.id, act: 'refuse' }), renderElevation);
  }
}
