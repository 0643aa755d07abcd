import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { anchorFlags, logFlags, logOf } from '#cli/flags/log-flags';

export default class AuditVerify extends CloudCommand {
  static override summary = 'Prove that no row of a log was changed, removed or replaced.';
  static override description =
    'Verifies the log of the platform, or an export on the disk without any network. Exit code 1: the log does not hold. 5: what would prove it is missing, such as the public key.';
  static override examples = [
    '<%= config.bin %> audit verify',
    '<%= config.bin %> audit verify --file audit.ndjson --key platform.pub --anchor platform.checkpoints',
  ];
  static override flags = {
    ...logFlags,
    file: string({
      summary: 'An export, instead of the log of the platform.',
      env: 'SERVICE_FILE',
      helpValue: '<file>',
    }),
    key: string({
      summary: 'Public key of the platform, or a file with it.',
      env: 'SERVICE_KEY',
      multiple: true,
      helpValue: '<key>',
    }),
    ...anchorFlags,
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditVerify);
    const context = await this.createContext();
    const { verifyLog } = await import('#flows/audit/verify-audit-log');
    const { renderVerdict } = await import('#cli/rendering/render-audit-log');
    const { file, key: keys = [], anchor: anchors = [] } = flags;
    this.present(await verifyLog(context, { ...logOf(flags, context), file, keys, anchors }), renderVerdict);
  }
}
