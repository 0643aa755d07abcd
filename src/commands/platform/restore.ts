import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { storeFlags } from '#cli/flags/platform-flags';

export default class PlatformRestore extends CloudCommand {
  static override summary = 'Make the store of a platform from a backup, where there is no store yet.';
  static override description =
    'The backup may be of the other engine or of an older version. It is restored whole or not at all.';
  static override examples = [
    '<%= config.bin %> platform restore --from /var/backups/platform.backup --store sqlite:/var/lib/platform.sqlite',
  ];
  static override flags = {
    ...storeFlags,
    from: string({ summary: 'The backup.', env: 'SERVICE_FROM', required: true, helpValue: '<file>' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlatformRestore);
    const context = await this.createContext();
    const { restore } = await import('#flows/platform/copy-store');
    const { renderRestore } = await import('#cli/rendering/render-audit-log');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    this.present(await restore(context, { store, from: flags.from }), renderRestore);
  }
}
