import { string as argument } from '@oclif/core/args';
import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentOfFlags, recordFlags } from '#cli/flags/run-flags';

export default class RunList extends CloudCommand {
  static override summary = 'List records of a collection, as a person of the project sees them.';
  static override description =
    'Asks the agent of "dev", or one that is started for this. Without --as it is the developer, who may do everything.';
  static override examples = [
    '<%= config.bin %> run list orders --filter status=open --sort -total',
    '<%= config.bin %> run list orders --fields id,total,customer:name --as role:support --json',
  ];
  static override args = { collection: argument({ required: true, description: 'Name of the collection.' }) };
  static override flags = {
    ...recordFlags,
    fields: string({
      summary: 'Fields to show, separated by commas; by default those of the collection.',
      env: 'SERVICE_FIELDS',
      default: '',
      helpValue: '<names>',
    }),
    sort: string({ summary: 'Fields to sort by; -name descends.', env: 'SERVICE_SORT', helpValue: '<names>' }),
    limit: integer({
      summary: 'Records on a page.',
      env: 'SERVICE_LIMIT',
      default: 15,
      min: 1,
      max: 10_000,
      helpValue: '<number>',
    }),
    page: integer({ summary: 'Number of the page.', env: 'SERVICE_PAGE', default: 1, min: 1, helpValue: '<number>' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RunList);
    const context = await this.createContext();
    const { listRecords } = await import('#flows/run/query-records');
    const { renderRecords } = await import('#cli/rendering/render-run');
    const listed = await listRecords(context, {
      ...(await agentOfFlags(flags, this.invocation, context)),
      collection: args.collection,
      filters: flags.filter,
      search: flags.search,
      segment: flags.segment,
      fields: flags.fields.split(',').flatMap((name) => name.trim() || []),
      sort: flags.sort,
      page: { size: flags.limit, number: flags.page },
    });
    this.present(listed, renderRecords);
  }
}
