import { option, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { storeFlags } from '#cli/flags/platform-flags';

export default class AuditArchive extends CloudCommand {
  static override summary = 'Archive the logs of a platform by month, as Parquet files that other engines read.';
  static override description =
    'Whoever runs the platform calls it, also while the platform runs: every month that is over gets its files and a signed manifest. Months that are archived are left as they are, except for values that somebody erased since. Run it again after any failure. `audit verify --archive` verifies an archive without the platform.';
  static override examples = [
    '<%= config.bin %> audit archive --to file:///var/archive',
    '<%= config.bin %> audit archive --to "s3://company-logs/audit?region=eu-central-1" --store postgres://db.example.com/platform',
  ];
  static override flags = {
    ...storeFlags,
    to: string({
      summary: 'Where the archive is: file:///folder or s3://bucket/folder.',
      description:
        'Behind s3://bucket/folder, ?region=… names the region and ?endpoint=… another server than that of Amazon. Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from wherever programs of Amazon find them.',
      env: 'SERVICE_TO',
      required: true,
      helpValue: '<address>',
    }),
    format: option({
      summary: 'What the files are.',
      env: 'SERVICE_FORMAT',
      options: ['parquet'] as const,
      default: 'parquet',
    })(),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditArchive);
    const context = await this.createContext();
    const { archiveLogs } = await import('#flows/platform/archive-logs');
    const { renderArchivedLogs } = await import('#cli/rendering/render-archive');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    this.present(await archiveLogs(context, { store, to: flags.to }), renderArchivedLogs);
  }
}
