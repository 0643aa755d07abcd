import { string } from '@oclif/core/args';
import { string as stringFlag } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { durationFlag } from '#cli/flags/duration-flag';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class Elevate extends CloudCommand {
  static override summary = 'Take a role for a time, in one environment.';
  static override description =
    'The rights of the environment say who may take which role, and whether somebody else has to agree. It ends by itself; "elevations end" gives it back before.';
  static override examples = [
    '<%= config.bin %> elevate Administrators --for 30m --reason "Order 4711 hangs" --env production',
  ];
  static override args = { role: string({ required: true, description: 'Name of the role.' }) };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    for: durationFlag({
      summary: 'For how long, such as 30m or 2h; it counts in whole minutes.',
      env: 'SERVICE_FOR',
      required: true,
      most: '7d',
    }),
    reason: stringFlag({
      summary: 'Why. It is in the log of changes.',
      env: 'SERVICE_REASON',
      required: true,
      helpValue: '<text>',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(Elevate);
    const context = await this.createContext();
    const { elevate } = await import('#flows/people/elevate');
    const { renderElevation } = await import('#cli/rendering/render-elevations');
    const asked = { role: args.role, minutes: Math.max(1, Math.floor(flags.for / 60)), reason: flags.reason };
    this.present(await elevate(context, { ...targetOf(flags, context), ...asked }), renderElevation);
  }
}
