import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';

export default class PlatformMigrate extends CloudCommand {
  static override summary = 'Copy the store of a stopped platform to another place, such as from SQLite to PostgreSQL.';
  static override description =
    'Every row is copied, read back and compared. The new place holds all of it or nothing; the old one stays as it is. An address with a password belongs into SERVICE_FROM or SERVICE_TO.';
  static override examples = [
    'SERVICE_TO=postgres://platform:password@db/platform <%= config.bin %> platform migrate --from sqlite:/var/lib/platform.sqlite',
  ];
  static override flags = {
    from: string({ summary: 'The store that is there.', env: 'SERVICE_FROM', required: true, helpValue: '<address>' }),
    to: string({ summary: 'A place without a store.', env: 'SERVICE_TO', required: true, helpValue: '<address>' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlatformMigrate);
    const context = await this.createContext();
    const { move } = await import('#flows/platform/copy-store');
    const { renderMove } = await import('#cli/rendering/render-audit-log');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const from = storeFrom(this.invocation, context, flags.from, 'SERVICE_FROM');
    const to = storeFrom(this.invocation, context, flags.to, 'SERVICE_TO');
    this.present(await move(context, from, to), renderMove);
  }
}
