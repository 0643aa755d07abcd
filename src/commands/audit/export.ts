import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { logFlags, logOf } from '#cli/flags/log-flags';

export default class AuditExport extends CloudCommand {
  static override summary = 'Write a whole log to a file that can be verified offline, or go on with such a file.';
  static override examples = [
    '<%= config.bin %> audit export --file audit.ndjson',
    '<%= config.bin %> audit export --admin --file changes.ndjson',
  ];
  static override flags = {
    ...logFlags,
    file: string({
      summary: 'The file of JSON lines. The export goes on at the end of a file that exists.',
      env: 'SERVICE_FILE',
      required: true,
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditExport);
    const context = await this.createContext();
    const { exportLog } = await import('#flows/audit/export-audit-log');
    const { renderExportedLog } = await import('#cli/rendering/render-audit-log');
    this.present(await exportLog(context, { ...logOf(flags, context), file: flags.file }), renderExportedLog);
  }
}
