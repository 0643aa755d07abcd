import { hostname, userInfo } from 'node:os';
import { string as stringArgument } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { storeFlags } from '#cli/flags/platform-flags';

export default class PlatformErasePerson extends CloudCommand {
  static override summary = 'Erase a person from the audit logs and the notes of a platform. The logs hold afterwards.';
  static override description =
    'Deletes the name, the e-mail address and the addresses of requests of the person from every log, and writes a signed row that says so. Deletes what the person wrote in notes and about requests as well. Stop a platform on SQLite first. Asks first, because nobody can bring the values back.';
  static override examples = [
    '<%= config.bin %> platform erase-person ada@example.com --dry-run',
    '<%= config.bin %> platform erase-person ada@example.com --reference GDPR-17 --store sqlite:/var/lib/platform.sqlite',
  ];
  static override args = {
    email: stringArgument({ required: true, description: 'E-mail address of the person.' }),
  };
  static override flags = {
    ...storeFlags,
    reference: string({
      summary: 'What the log says of the reason, such as the number of a ticket. No name: it stays.',
      env: 'SERVICE_REFERENCE',
      helpValue: '<text>',
    }),
    by: string({
      summary: 'Who erases, as the log says. A role or an account: it stays. Default: the account on this machine.',
      env: 'SERVICE_BY',
      helpValue: '<text>',
    }),
    archive: string({
      summary:
        'An archive, whose rows the store may have removed: the next `audit archive` takes the values out of it.',
      env: 'SERVICE_ARCHIVE',
      helpValue: '<address>',
    }),
    'dry-run': boolean({ summary: 'Only say what would be erased.', env: 'SERVICE_DRY_RUN' }),
    ...confirmFlags,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(PlatformErasePerson);
    const context = await this.createContext();
    const { erasePerson } = await import('#flows/platform/erase-person');
    const { confirmErasedPerson } = await import('#cli/asking/confirm-change');
    const { renderErasedPerson } = await import('#cli/rendering/render-erased-person');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    const called = this.invocation.environment.arguments;
    const confirm = confirmErasedPerson(context, { isConfirmed: flags.yes, called });
    const { reference, archive, by = `${userInfo().username}@${hostname()}`, 'dry-run': isDryRun } = flags;
    const input = { store, email: args.email, reference, by, isDryRun, archive, confirm };
    this.present(await erasePerson(context, input), renderErasedPerson);
  }
}
