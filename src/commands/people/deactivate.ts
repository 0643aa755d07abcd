import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags, lockoutFlags } from '#cli/flags/confirm-flags';
import { personArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleDeactivate extends CloudCommand {
  static override summary = 'End the access of a member, or take an invitation back.';
  static override description =
    'Asks first. Their sessions and tokens end at once. "people set <email> --active" lets a member in again.';
  static override examples = [
    '<%= config.bin %> people deactivate bob@example.com',
    '<%= config.bin %> people deactivate bob@example.com --yes --json',
  ];
  static override args = personArgument;
  static override flags = { ...projectFlags, ...confirmFlags, ...lockoutFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PeopleDeactivate);
    const context = await this.createContext();
    const { deactivatePerson } = await import('#flows/people/manage-people');
    const { confirmDeactivatedPerson } = await import('#cli/asking/confirm-change');
    const { renderDeactivatedPerson } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    const called = this.invocation.environment.arguments;
    const confirm = confirmDeactivatedPerson(context, { isConfirmed: flags.yes, called });
    const person = { folder, email: args.email, allowLockout: flags['allow-lockout'], confirm };
    this.present(await deactivatePerson(context, person), renderDeactivatedPerson);
  }
}
