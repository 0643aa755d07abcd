import { CloudCommand } from '#cli/command/cloud-command';
import { elevationArgument } from '#cli/flags/people-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class ElevationsEnd extends CloudCommand {
  static override summary = 'Give a role back before its time, or take it away as an administrator.';
  static override description =
    'The rights change at once. What you have asked for, and nobody has answered, is taken back.';
  static override examples = ['<%= config.bin %> elevations end 12 --env production'];
  static override args = elevationArgument;
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(ElevationsEnd);
    const context = await this.createContext();
    const { changeElevation } = await import('#flows/people/elevate');
    const { renderElevation } = await import('#cli/rendering/render-elevations');
    const target = targetOf(flags, context);
    this.present(await changeElevation(context, { ...target, id: args.id, act: 'end' }), renderElevation);
  }
}
