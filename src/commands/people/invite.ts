import { CloudCommand } from '#cli/command/cloud-command';
import { joiningFlags, personArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleInvite extends CloudCommand {
  static override summary = 'Invite somebody to the project.';
  static override description =
    'Prints only the link on stdout; nothing can print it again. It is good once, for seven days, and until a newer one for the same person.';
  static override examples = [
    '<%= config.bin %> people invite bob@example.com --role support --team Support',
    '<%= config.bin %> people invite cleo@example.com --role support,billing --team Support --team North',
    '<%= config.bin %> people invite eve@example.com --role Administrators --level admin --json',
  ];
  static override args = personArgument;
  static override flags = { ...projectFlags, ...joiningFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PeopleInvite);
    const context = await this.createContext();
    const { invitePerson } = await import('#flows/people/manage-people');
    const { noteInvitation, renderLink } = await import('#cli/rendering/render-people');
    const { level, role: roles, team: teams } = flags;
    const folder = flags.project ?? context.workingFolder;
    const invited = await invitePerson(context, { folder, email: args.email, level, roles, teams });
    noteInvitation(invited, this.invocation.terminal);
    this.present(invited, renderLink);
  }
}
