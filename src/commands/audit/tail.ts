import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { logFlags, logOf } from '#cli/flags/log-flags';
import { tailFormats } from '#flows/audit/tail/log-sink';

export default class AuditTail extends CloudCommand {
  static override summary = 'Follow a log: show new rows as they come, or hand them over to another system.';
  static override description =
    'With --state it goes on where it stopped, and delivers every row at least once. --to takes stdout, file:<path>, hec:<url> (Splunk HTTP event collector, token in SERVICE_HEC_TOKEN), syslog:<host>:<port> and syslog+tls:<host>:<port>.';
  static override examples = [
    '<%= config.bin %> audit tail',
    '<%= config.bin %> audit tail --to hec:https://splunk.example:8088 --state audit.state --from-start',
    '<%= config.bin %> audit tail --admin --to syslog+tls:siem.example:6514 --state admin.state',
    '<%= config.bin %> audit tail --to file:audit.ndjson --state audit.state --once',
  ];
  static override flags = {
    ...logFlags,
    to: string({
      summary: 'Where the rows go.',
      env: 'SERVICE_TO',
      default: 'stdout',
      helpValue: '<system>',
    }),
    format: string({
      summary: 'How a row is written: ndjson by default, cef for syslog.',
      env: 'SERVICE_FORMAT',
      options: tailFormats,
    }),
    state: string({
      summary: 'File that remembers what was delivered.',
      env: 'SERVICE_STATE',
      helpValue: '<file>',
    }),
    'from-start': boolean({
      summary: 'Begin with the oldest row instead of the next one, where there is no state yet.',
      env: 'SERVICE_FROM_START',
    }),
    once: boolean({ summary: 'End when nothing is new.', env: 'SERVICE_ONCE' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditTail);
    const context = await this.createContext();
    const { followAuditLog } = await import('#cli/foreground/follow-audit-log');
    await followAuditLog(this.invocation, context, {
      ...logOf(flags, context),
      to: flags.to,
      format: tailFormats.find((format) => format === flags.format),
      state: flags.state,
      isFromStart: flags['from-start'],
      isOnce: flags.once,
    });
  }
}
