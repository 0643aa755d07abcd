import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { personArgument } from '#cli/flags/people-flags';
import { storeFlags } from '#cli/flags/platform-flags';

export default class PlatformResetFactors extends CloudCommand {
  static override summary = 'Remove the second factors of a person in the store of a platform.';
  static override description =
    'The way back in when the last administrator has lost theirs. Asks first. Everything that the person is signed in with ends, and the log of each of their projects has it. Stop a platform on SQLite first.';
  static override examples = [
    '<%= config.bin %> platform reset-factors ada@example.com --store sqlite:/var/lib/platform.sqlite',
  ];
  static override args = personArgument;
  static override flags = { ...storeFlags, ...confirmFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformResetFactors);
    const context = await this.createContext();
    const { resetFactorsOfStore } = await import('#flows/platform/reset-factors');
    const { confirmResetFactors } = await import('#cli/asking/confirm-change');
    const { renderResetFactors } = await import('#cli/rendering/render-people');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    const called = this.invocation.environment.arguments;
    const confirm = confirmResetFactors(context, { isConfirmed: flags.yes, called });
    this.present(await resetFactorsOfStore(context, { store, email: args.email, confirm }), renderResetFactors);
  }
}
