import { string as argument } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentOfFlags, recordFlags } from '#cli/flags/run-flags';

export default class RunCount extends CloudCommand {
  static override summary = 'Count records of a collection, as a person of the project sees them.';
  static override examples = ['<%= config.bin %> run count orders --filter status=open --as role:support'];
  static override args = { collection: argument({ required: true, description: 'Name of the collection.' }) };
  static override flags = recordFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RunCount);
    const context = await this.createContext();
    const { countRecords } = await import('#flows/run/query-records');
    const { renderCount } = await import('#cli/rendering/render-run');
    const counted = await countRecords(context, {
      ...(await agentOfFlags(flags, this.invocation, context)),
      collection: args.collection,
      filters: flags.filter,
      search: flags.search,
      segment: flags.segment,
    });
    this.present(counted, renderCount);
  }
}
