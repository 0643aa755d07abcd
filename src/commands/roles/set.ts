import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class RolesSet extends CloudCommand {
  static override summary = 'Say whether the people of a role sign in with a second factor.';
  static override description =
    'From then on, what they are signed in with opens nothing unless it was made with a second factor. Their next sign-in asks for one, or sets one up.';
  static override examples = [
    '<%= config.bin %> roles set Administrators --second-factor',
    '<%= config.bin %> roles set support --no-second-factor --json',
  ];
  static override args = { role: string({ required: true, description: 'Name of the role.' }) };
  static override flags = {
    ...projectFlags,
    'second-factor': boolean({
      summary: 'Whether its people need a second factor.',
      env: 'SERVICE_SECOND_FACTOR',
      allowNo: true,
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(RolesSet);
    const context = await this.createContext();
    const { changeRole } = await import('#flows/people/second-factors');
    const { renderChangedRole } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    const { 'second-factor': needsSecondFactor } = flags;
    this.present(await changeRole(context, { folder, role: args.role, needsSecondFactor }), renderChangedRole);
  }
}
