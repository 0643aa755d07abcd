import { CloudCommand } from '#cli/command/cloud-command';
import { personArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleResetPassword extends CloudCommand {
  static override summary = 'Make a link with which a member sets a new password.';
  static override description =
    'Prints only the link on stdout; nothing can print it again. It is good once, for a day. The password stays what it is until the link is used.';
  static override examples = ['<%= config.bin %> people reset-password bob@example.com'];
  static override args = personArgument;
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PeopleResetPassword);
    const context = await this.createContext();
    const { resetPassword } = await import('#flows/people/manage-people');
    const { notePasswordLink, renderLink } = await import('#cli/rendering/render-people');
    const link = await resetPassword(context, { folder: flags.project ?? context.workingFolder, email: args.email });
    notePasswordLink(link, this.invocation.terminal);
    this.present(link, renderLink);
  }
}
