import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { storeFlags } from '#cli/flags/platform-flags';

export default class PlatformBackup extends CloudCommand {
  static override summary = 'Write everything in the store of a platform into one file, also while it runs.';
  static override examples = ['<%= config.bin %> platform backup --to /var/backups/platform.backup'];
  static override flags = {
    ...storeFlags,
    to: string({
      summary:
        'The file, which only its owner can read. It replaces an older backup once it is complete, and no other file.',
      env: 'SERVICE_TO',
      required: true,
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlatformBackup);
    const context = await this.createContext();
    const { backUp } = await import('#flows/platform/copy-store');
    const { renderBackUp } = await import('#cli/rendering/render-audit-log');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    this.present(await backUp(context, { store, to: flags.to }), renderBackUp);
  }
}
