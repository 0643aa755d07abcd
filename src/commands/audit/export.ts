import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { logFlags, logOf, parseMonth } from '#cli/flags/log-flags';

export default class AuditExport extends CloudCommand {
  static override summary = 'Write a whole log to a file that can be verified offline, or go on with such a file.';
  static override examples = [
    '<%= config.bin %> audit export --file audit.ndjson',
    '<%= config.bin %> audit export --admin --file changes.ndjson',
    '<%= config.bin %> audit export --month 2026-10 --file 2026-10.ndjson',
  ];
  static override flags = {
    ...logFlags,
    file: string({
      summary: 'The file of JSON lines. The export goes on at the end of a file that exists.',
      env: 'SERVICE_FILE',
      required: true,
      helpValue: '<file>',
    }),
    month: string({
      summary: 'Only the rows of this month, as a segment that is verified without the others. The file must be new.',
      env: 'SERVICE_MONTH',
      helpValue: '<month>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditExport);
    const { file } = flags;
    const month = flags.month === undefined ? undefined : parseMonth(flags.month);
    const context = await this.createContext();
    if (month !== undefined) {
      const { exportSegment } = await import('#flows/audit/segments');
      const { renderExportedSegment } = await import('#cli/rendering/render-segments');
      const exported = await exportSegment(context, { ...logOf(flags, context), file, month });
      this.present(exported, renderExportedSegment);
      return;
    }
    const { exportLog } = await import('#flows/audit/export-audit-log');
    const { renderExportedLog } = await import('#cli/rendering/render-audit-log');
    this.present(await exportLog(context, { ...logOf(flags, context), file }), renderExportedLog);
  }
}
