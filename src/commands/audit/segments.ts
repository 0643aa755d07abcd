import { CloudCommand } from '#cli/command/cloud-command';
import { logFlags, logOf } from '#cli/flags/log-flags';

export default class AuditSegments extends CloudCommand {
  static override summary =
    'Show the segments of a log: its rows of each month, signed, which are archived and verified one by one.';
  static override examples = ['<%= config.bin %> audit segments', '<%= config.bin %> audit segments --admin --json'];
  static override flags = { ...logFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditSegments);
    const context = await this.createContext();
    const { listSegments } = await import('#flows/audit/segments');
    const { renderSegments } = await import('#cli/rendering/render-segments');
    this.present(await listSegments(context, logOf(flags, context)), renderSegments);
  }
}
