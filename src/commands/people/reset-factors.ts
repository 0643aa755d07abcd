import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { personArgument } from '#cli/flags/people-flags';
import { projectFlags } from '#cli/flags/project-flags';

export default class PeopleResetFactors extends CloudCommand {
  static override summary = 'Remove the second factors of another member, who may then set one up for a day.';
  static override description =
    'Asks first. Everything that the member is signed in with ends. Where a role demands a second factor, a sign-in of the next 24 hours sets one up, also for a member who had none.';
  static override examples = ['<%= config.bin %> people reset-factors bob@example.com'];
  static override args = personArgument;
  static override flags = { ...projectFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PeopleResetFactors);
    const context = await this.createContext();
    const { resetFactors } = await import('#flows/people/second-factors');
    const { confirmResetFactors } = await import('#cli/asking/confirm-change');
    const { renderResetFactors } = await import('#cli/rendering/render-people');
    const folder = flags.project ?? context.workingFolder;
    const called = this.invocation.environment.arguments;
    const confirm = confirmResetFactors(context, { isConfirmed: flags.yes, called });
    this.present(await resetFactors(context, { folder, email: args.email, confirm }), renderResetFactors);
  }
}
