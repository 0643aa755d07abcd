import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class AuditKey extends CloudCommand {
  static override summary =
    'Print the public key of the platform, to verify exports with: keep it where the platform is not.';
  static override examples = ['<%= config.bin %> audit key > platform.pub'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditKey);
    const context = await this.createContext();
    const { publicKeys } = await import('#flows/audit/connect-to-audit-log');
    this.present(await publicKeys(context, flags.project ?? context.workingFolder), ({ keys }) => keys.join('\n'));
  }
}
